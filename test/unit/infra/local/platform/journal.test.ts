import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../../../infra/local/platform/journal.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

let folder = '';
beforeEach(async () => void (folder = await temporaryFolder()));

describe('journal', () => {
  test('has a line before the call returns, and returns all lines', () => {
    const file = join(folder, 'journal');
    const journal = openJournal(file);
    onTestFinished(() => journal.close());

    journal.append('{"n":1}');
    const written = readFileSync(file, 'utf8');
    journal.append('{"n":2}');

    expect(written).toBe('{"n":1}\n');
    expect(journal.lines()).toEqual(['{"n":1}', '{"n":2}']);
  });

  test('cuts off an incomplete last line, and continues after the one before', () => {
    const file = join(folder, 'journal');
    writeFileSync(file, '{"n":1}\n{"n');

    const journal = openJournal(file);
    onTestFinished(() => journal.close());
    journal.append('{"n":3}');

    expect(journal.lines()).toEqual(['{"n":1}', '{"n":3}']);
  });
  test.each(['gar\0bage{]', 'null', '[1]', '"text"', ''])('is refused with the line %j in it, and stays', (line) => {
    const file = join(folder, 'journal');
    const text = `{"n":1}\n${line}\n{"n":2}\n`;
    writeFileSync(file, text);

    expect(() => openJournal(file)).toThrow(`Line 2 of ${file} cannot be read. Start once with --fresh`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
