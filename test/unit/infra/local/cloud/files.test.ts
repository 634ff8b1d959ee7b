import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../../../infra/local/cloud/journal.ts';
import { releaseProcessLock, takeProcessLock } from '../../../../../infra/shared/process-lock.ts';
import { openStateFolder } from '../../../../../infra/local/run/state-folder.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'membership-event-bridge-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** Beyond what Linux gives. */
const NO_PROCESS = 2 ** 30;

describe('journal', () => {
  test('has a line before the call returns, and gives all lines back', () => {
    const file = join(folder, 'journal');
    const journal = openJournal(file);
    onTestFinished(() => journal.close());

    journal.append('one');
    const written = readFileSync(file, 'utf8');
    journal.append('two');

    expect(written).toBe('one\n');
    expect(journal.lines()).toEqual(['one', 'two']);
  });

  test('cuts off a last line that was not finished, and goes on after the one before', () => {
    const file = join(folder, 'journal');
    writeFileSync(file, 'one\ntw');

    const journal = openJournal(file);
    onTestFinished(() => journal.close());
    journal.append('three');

    expect(journal.lines()).toEqual(['one', 'three']);
  });
});

describe('process lock', () => {
  test('is held against everybody else until it is given back', () => {
    const file = join(folder, 'lock');

    const first = takeProcessLock(file);
    const second = takeProcessLock(file);
    releaseProcessLock(file);

    expect([first, second]).toEqual([null, process.pid]);
    expect(takeProcessLock(file)).toBeNull();
  });

  test.each([String(NO_PROCESS), '', 'rubbish'])('is taken over from a holder "%s" that is gone', (holder) => {
    const file = join(folder, 'lock');
    writeFileSync(file, holder);

    expect(takeProcessLock(file)).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe(String(process.pid));
  });
});

describe('state folder', () => {
  test('remembers from one run to the next', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1, startFrom: 'now' });
    first.remember({ port: 2 });
    first.release();

    const second = openStateFolder(folder, { fresh: false });

    expect(second.remembered).toEqual({ port: 2, startFrom: 'now' });
  });

  test('forgets what it knows when it is to be fresh, and touches nothing else', () => {
    const first = openStateFolder(folder, { fresh: false });
    first.remember({ port: 1 });
    appendFileSync(first.serviceFile, 'x');
    first.release();
    writeFileSync(join(folder, 'thesis.txt'), 'mine');

    const second = openStateFolder(folder, { fresh: true });

    expect(second.remembered).toEqual({});
    expect(existsSync(second.serviceFile)).toBe(false);
    expect(readdirSync(folder)).toEqual(['lock', 'thesis.txt']);
  });

  test('says how to go on when its notes cannot be read', () => {
    writeFileSync(join(folder, 'run.json'), '{');

    expect(() => openStateFolder(folder, { fresh: false })).toThrow(/--fresh/);
  });
});
