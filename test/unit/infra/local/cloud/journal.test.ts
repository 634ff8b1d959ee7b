import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../../../infra/local/cloud/journal.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'membership-event-bridge-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

describe('journal', () => {
  test('has a line before the call returns, and returns all lines', () => {
    const file = join(folder, 'journal');
    const journal = openJournal(file);
    onTestFinished(() => journal.close());

    journal.append('one');
    const written = readFileSync(file, 'utf8');
    journal.append('two');

    expect(written).toBe('one\n');
    expect(journal.lines()).toEqual(['one', 'two']);
  });

  test('cuts off an incomplete last line, and continues after the one before', () => {
    const file = join(folder, 'journal');
    writeFileSync(file, 'one\ntw');

    const journal = openJournal(file);
    onTestFinished(() => journal.close());
    journal.append('three');

    expect(journal.lines()).toEqual(['one', 'three']);
  });
});
