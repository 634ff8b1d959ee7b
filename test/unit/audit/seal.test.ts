import { beforeEach, describe, expect, it } from 'vitest';
import { settingsKey } from '../../../functions/audit/bucket-layout.ts';
import { checkpointSha256 } from '../../../functions/audit/checkpoint.ts';
import { emptyProfile } from '../../../functions/source/service-profile.ts';
import { canonicalJson, type JsonObject, sha256Hex } from '../../../functions/shared/json.ts';
import { refusalOf } from '../../support/refusal.ts';
import { at, createSealWorld, expectProven, HOUR, type SealWorld, SETTINGS } from './seal-world.ts';

let world: SealWorld;

beforeEach(() => {
  world = createSealWorld();
});

describe('the sealer', () => {
  it('begins the chain with a checkpoint that seals no day', async () => {
    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 1, nextDay: '2026-11-02' });
    expect(world.checkpoints()).toEqual([
      {
        number: 1,
        kind: 'begin',
        day: null,
        amendment: 0,
        entries: 0,
        quarantined: 0,
        digest: null,
        manifest: null,
        since: '2026-11-02T08:00:00.000Z',
        firstDay: '2026-11-02',
        querySha256: sha256Hex(
          '{"actionKeys":null,"baseUrl":"https://api.example.org","organisationMembershipId":null}',
        ),
        settingsSha256: sha256Hex(canonicalJson(SETTINGS)),
        userSha256: sha256Hex('admin@example.org'),
        sealedAt: '2026-11-02T08:00:00.000Z',
        previousSha256: null,
      },
    ]);
    expectProven(world);
  });

  it('seals a day when a reconcile sweep began the look-back after its end, and not earlier', async () => {
    world.append('2026-11-02', 'a', 'b');
    world.append('2026-11-03', 'c');

    world.reconciledAt('2026-11-04T05:59:59.999Z');
    const early = await world.seal();
    world.reconciledAt('2026-11-04T06:00:00.000Z');
    const due = await world.seal();

    expect(early).toMatchObject({ checkpoints: 1, nextDay: '2026-11-02' });
    expect(due).toMatchObject({ checkpoints: 1, nextDay: '2026-11-03' });
    expect(world.story()).toEqual(['begin', '2026-11-02: 2']);
    expectProven(world);
  });

  it('waits for the look-back of the settings', async () => {
    const settings = { advanced: { lookback: { reconcile: 'P7D' } } };

    world.reconciledAt('2026-11-09T23:59:59Z');
    await world.seal({ settings });
    world.reconciledAt('2026-11-10T00:00:00Z');
    await world.seal({ settings });

    expect(world.checkpoints().map(({ sealedAt, day }) => [day, sealedAt.slice(0, 10)])).toEqual([
      [null, '2026-11-09'],
      ['2026-11-02', '2026-11-10'],
    ]);
  });

  it('seals empty days too, without an object in the bucket', async () => {
    world.append('2026-11-03', 'a');
    world.reconciledAt('2026-11-06T06:00:00Z');

    await world.seal();

    expect(world.story()).toEqual(['begin', '2026-11-02: 0', '2026-11-03: 1', '2026-11-04: 0']);
    expect(world.checkpoints()[1]).toMatchObject({ manifest: null, digest: sha256Hex('') });
    expect(world.keys()).toEqual(['manifests/acme/2026-11-03/000000.txt.gz']);
    expectProven(world);
  });

  it('counts quarantined entries separately', async () => {
    world.append('2026-11-02', 'a', 'b');
    world.segments[0]?.records.forEach((record, index) => Object.assign(record, { quarantined: index === 0 }));
    world.appended.splice(0, 2, ...(world.segments[0]?.records ?? []));
    world.reconciledAt('2026-11-04T06:00:00Z');

    await world.seal();

    expect(world.checkpoints().at(-1)).toMatchObject({ entries: 2, quarantined: 1 });
    expectProven(world);
  });

  it('reads no manifest when no day is due', async () => {
    world.append('2026-11-03', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.steps.length = 0;

    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 0, nextDay: '2026-11-03' });
    expect(world.steps).toEqual([
      'chain.readHead',
      'state.read',
      'credentials.read',
      'bucket.putOnce of settings',
      'trail.firstDay',
    ]);
  });

  it('keeps the settings under the hash that checkpoints have of them, changed ones too', async () => {
    await world.seal();
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal({ settings: { detailTypes: { TagChanged: ['Label*'] } } });

    for (const { settingsSha256 } of world.checkpoints()) {
      const kept = JSON.parse(world.objects.get(settingsKey('acme', settingsSha256)) ?? 'null') as JsonObject;
      expect(sha256Hex(canonicalJson(kept))).toBe(settingsSha256);
    }
    expect(new Set(world.checkpoints().map(({ settingsSha256 }) => settingsSha256)).size).toBe(2);
  });

  it('leaves open and future days in the trail', async () => {
    world.append('2026-11-03', 'today');
    world.append('2037-01-01', 'future');
    world.reconciledAt('2026-11-04T06:00:00Z');

    await world.seal();

    expect(world.segments.map(({ day }) => day)).toEqual(['2026-11-03', '2037-01-01']);
    expect(world.head?.nextDay).toBe('2026-11-03');
  });

  it('shows a change of user, query or settings by their hashes in the next checkpoint', async () => {
    await world.seal();
    world.username = 'other@example.org';
    world.reconciledAt('2026-11-04T06:00:00Z');

    await world.seal({ settings: { actionKeys: 'Contact' }, changes: { settingsSha256: sha256Hex('others') } });

    const [before, after] = world.checkpoints();
    expect(before?.userSha256).toBe(sha256Hex('admin@example.org'));
    expect(after?.userSha256).toBe(sha256Hex('other@example.org'));
    expect(after?.settingsSha256).toBe(sha256Hex('others'));
    expect(after?.querySha256).toBe(
      sha256Hex(canonicalJson({ actionKeys: 'Contact', baseUrl: SETTINGS.baseUrl, organisationMembershipId: null })),
    );
  });

  it('chains each checkpoint to the one before, and keeps the hash of the last in the head', async () => {
    world.reconciledAt('2026-11-05T06:00:00Z');

    await world.seal();

    const [begin, first, second] = world.checkpoints();
    expect(first?.previousSha256).toBe(begin && checkpointSha256(begin));
    expect(second?.previousSha256).toBe(first && checkpointSha256(first));
    expect(world.head).toMatchObject({ number: 3, sha256: second && checkpointSha256(second), pending: null });
  });
});

describe('an entry that comes after its day was sealed', () => {
  it('makes an amendment with nothing but the additions', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late', 'a');

    const result = await world.seal();

    expect(result).toMatchObject({ checkpoints: 1, nextDay: '2026-11-03' });
    expect(world.story()).toEqual(['begin', '2026-11-02: 1', '2026-11-02 amendment 1: 1']);
    expectProven(world);
  });

  it('is amendment 1 of a day that was empty, and the next one amendment 2', async () => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late');
    await world.seal();
    world.append('2026-11-02', 'later');

    await world.seal();

    expect(world.story().slice(2)).toEqual(['2026-11-02 amendment 1: 1', '2026-11-02 amendment 2: 1']);
    expect(world.keys()).toEqual([
      'manifests/acme/2026-11-02/000001.txt.gz',
      'manifests/acme/2026-11-02/000002.txt.gz',
    ]);
    expectProven(world);
  });

  it('is removed from the trail without an amendment when it is a duplicate', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'a');

    const result = await world.seal();

    expect(result.checkpoints).toBe(0);
    expectProven(world);
  });

  it('is sealed before the next day is due', async () => {
    world.reconciledAt('2026-11-05T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'late');
    world.append('2026-11-03', 'late too');

    await world.seal();

    expect(world.story().slice(-2)).toEqual(['2026-11-02 amendment 1: 1', '2026-11-03 amendment 1: 1']);
    expectProven(world);
  });

  it('is sealed as published when it was quarantined and reached the bus after all', async () => {
    world.append('2026-11-02', 'a');
    Object.assign(world.segments[0]?.records[0] ?? {}, { quarantined: true });
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.append('2026-11-02', 'a');

    await world.seal();

    expect(world.checkpoints().at(-1)).toMatchObject({ kind: 'amendment', entries: 1, quarantined: 0 });
    expect(world.segments).toEqual([]);
  });

  it('is not compared with an object that is no manifest', async () => {
    world.append('2026-11-02', 'a');
    world.reconciledAt('2026-11-04T06:00:00Z');
    await world.seal();
    world.objects.set('manifests/acme/2026-11-02/000000.txt.gz', 'something else');
    world.append('2026-11-02', 'late');

    const error = await refusalOf(world.seal());

    expect(error).toMatchObject({ code: 'BucketUnavailable', retryable: false });
    expect(world.segments).toHaveLength(1);
  });
});

describe('an invocation of the sealer', () => {
  it('makes at most 50 checkpoints, and the next ones continue in order', async () => {
    world.reconciledAt('2027-02-01T06:00:00Z');

    const results = [await world.seal(), await world.seal(), await world.seal()];

    expect(results.map(({ checkpoints, reason }) => [checkpoints, reason])).toEqual([
      [50, 'limit-reached'],
      [41, undefined],
      [0, undefined],
    ]);
    expect(world.head?.nextDay).toBe('2027-01-31');
    expectProven(world);
  });

  it('begins no checkpoint in its last 20 seconds', async () => {
    world.reconciledAt('2026-12-01T06:00:00Z');
    const slow = { onStep: () => void (world.now += 1_000) };

    const result = await world.seal(slow);

    // Two seconds per step: fourteen until the chain has begun, ten for each day.
    expect(result).toMatchObject({ checkpoints: 4, reason: 'out-of-time' });
    expectProven(world);
  });

  it('seals nothing while the secret holds its placeholder', async () => {
    world.username = null;

    const result = await world.seal();

    expect(result).toEqual({ sourceId: 'acme', checkpoints: 0, nextDay: null, reason: 'credentials-not-set' });
    expect(world.head).toBeNull();
  });

  it('resolves when it is days behind and can seal days', async () => {
    world.reconciledAt('2026-11-20T06:00:00Z');

    const result = await world.seal();

    expect(result).toMatchObject({ checkpoints: 18, nextDay: '2026-11-19' });
  });

  it('seals what it can and rejects with AuditBehind when reconcile sweeps are three days overdue', async () => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    world.now = at('2026-11-07T12:00:00Z');
    const patient = await world.seal();
    world.append('2026-11-02', 'late');
    world.now += 1;

    const error = await refusalOf(world.seal());

    expect(patient.checkpoints).toBe(2);
    expect(error).toMatchObject({ code: 'AuditBehind', retryable: true });
    expect(world.story().at(-1)).toBe('2026-11-02 amendment 1: 1');
  });

  it.each([
    ['failed', { status: 'failed', code: 'ThrottlingException', message: '' }, true],
    ['refused', { status: 'refused', code: 'NotAuthorizedForSource', message: '' }, false],
  ] as const)('rejects when its notice is %s, and the chain waits for it', async (_, outcome, retryable) => {
    world.reconciledAt('2026-11-04T06:00:00Z');
    world.outcome = outcome;
    const errors = [await refusalOf(world.seal()), await refusalOf(world.seal())];
    const waiting = world.head;
    world.outcome = { status: 'accepted' };

    await world.seal();

    expect(errors).toMatchObject([
      { code: 'PublishFailed', retryable },
      { code: 'PublishFailed', retryable },
    ]);
    expect(waiting).toMatchObject({ number: 1, pending: { number: 1 } });
    expect(world.story()).toEqual(['begin', '2026-11-02: 0']);
    expectProven(world);
  });

  it('publishes the pending checkpoint while the past is being read', async () => {
    world.outcome = { status: 'failed', code: 'Timeout', message: '' };
    await refusalOf(world.seal());
    world.outcome = { status: 'accepted' };
    if (world.state) world.state = { ...world.state, deferredLevels: ['past'], profile: emptyProfile() };
    world.now += HOUR;

    await world.seal();

    expect(world.story()).toEqual(['begin']);
    expectProven(world);
  });
});
