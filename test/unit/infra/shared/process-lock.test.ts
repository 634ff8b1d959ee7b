import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { releaseProcessLock, takeProcessLock } from '../../../../infra/shared/process-lock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let folder = '';
beforeEach(async () => void (folder = await temporaryFolder()));

/** Above the process ids of Linux. */
const NO_PROCESS = 2 ** 30;

describe('process lock', () => {
  test('is held until it is released', () => {
    const file = join(folder, 'lock');

    const first = takeProcessLock(file);
    const second = takeProcessLock(file);
    releaseProcessLock(file);

    expect([first, second]).toEqual([null, process.pid]);
    expect(takeProcessLock(file)).toBeNull();
  });

  test.each([String(NO_PROCESS), '', 'rubbish'])('is taken over from an owner "%s" that has ended', (holder) => {
    const file = join(folder, 'lock');
    writeFileSync(file, holder);

    expect(takeProcessLock(file)).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe(String(process.pid));
  });
});
