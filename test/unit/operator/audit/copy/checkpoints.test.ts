import { describe, expect, it } from 'vitest';
import { checkpointSha256 } from '../../../../../functions/audit/checkpoint.ts';
import { createCheckpoints } from '../../../../../functions/operator/audit/copy/checkpoints.ts';
import { aCopy } from '../a-copy.ts';

const place = { key: 'events/a.gz', line: 1 };
const [begin, day] = aCopy().checkpoints;

describe('createCheckpoints', () => {
  it('collects each content of a checkpoint once, with the hash that the next one has', () => {
    const checkpoints = createCheckpoints();

    for (const checkpoint of [day!, begin!, day!]) expect(checkpoints.add({ ...checkpoint }, place)).toBe(true);

    expect(checkpoints.found().map(({ checkpoint }) => checkpoint.number)).toEqual([1, 2]);
    expect(checkpoints.found()[1]?.sha256).toBe(checkpointSha256(day!));
    expect(checkpoints.duplicates()).toBe(1);
  });

  it('hashes unknown fields too, so that a later version of the bridge can add some', () => {
    const checkpoints = createCheckpoints();

    checkpoints.add({ ...day!, later: 1 }, place);

    expect(checkpoints.found()[0]?.sha256).not.toBe(checkpointSha256(day!));
  });

  it.each([
    ['number', 0],
    ['number', 1.5],
    ['number', '2'],
    ['kind', 'other'],
    ['day', null],
    ['day', '2026-13-16'],
    ['day', '2026-02-30'],
    ['day', '2026-11-1x'],
    ['digest', null],
    ['digest', 'no hash'],
    ['manifest', 7],
    ['previousSha256', 'no hash'],
    ['entries', -1],
    ['quarantined', null],
    ['amendment', 'a'],
    ['since', 'yesterday'],
    ['sealedAt', null],
    ['firstDay', null],
    ['firstDay', '2026-11'],
  ])('refuses a checkpoint whose %s is %j', (name, value) => {
    expect(createCheckpoints().add({ ...day!, [name]: value }, place)).toBe(false);
  });

  it('refuses a begin with a day or a digest', () => {
    expect(createCheckpoints().add({ ...begin!, day: '2026-11-16' }, place)).toBe(false);
    expect(createCheckpoints().add({ ...begin!, digest: 'a'.repeat(64) }, place)).toBe(false);
  });
});
