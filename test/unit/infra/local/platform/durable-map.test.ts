import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDurableMap } from '../../../../../infra/local/platform/durable-map.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

let folder = '';
beforeEach(async () => void (folder = await temporaryFolder()));

describe('durable map', () => {
  test('survives a kill of its writer with all set and undeleted keys in order', () => {
    const file = join(folder, 'map');
    const map = openDurableMap<number>(file);
    map.set('a', 1);
    map.set('b', 2);
    map.set('c', 3);
    map.set('a', 4);
    map.delete('b');
    map.close();
    appendFileSync(file, '{"key":"d","val');

    const again = openDurableMap<number>(file);
    onTestFinished(() => again.close());

    expect(again.entries()).toEqual([
      ['a', 4],
      ['c', 3],
    ]);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  });

  test('does not grow forever if everything is deleted again', () => {
    const file = join(folder, 'map');
    const map = openDurableMap<string>(file);
    onTestFinished(() => map.close());

    for (let round = 0; round < 30; round += 1) {
      map.set('a', 'x'.repeat(100_000));
      map.delete('a');
    }
    map.set('b', 'kept');

    expect(statSync(file).size).toBeLessThan(1_200_000);
    expect(openDurableMap<string>(file).entries()).toEqual([['b', 'kept']]);
  });

  test('says what to do about an unreadable file', () => {
    const file = join(folder, 'map');
    appendFileSync(file, 'rubbish\n');

    expect(() => openDurableMap(file)).toThrow(/Line 1 of .*map cannot be read. Start once with --fresh/);
  });
});
