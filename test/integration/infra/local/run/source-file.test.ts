import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFile } from '../../../../../functions/source/source-file.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const SETTINGS = { sourceId: 'acme', baseUrl: 'https://api.example.org', timeZone: 'Europe/Istanbul', every: 'PT5M' };

test.each([
  ['lays --every over the settings of a source', 'PT5S', 'PT5S'],
  ['keeps the interval of the settings without --every', null, 'PT5M'],
])('npm start %s', async (_, option, every) => {
  const file = join(await temporaryFolder(), 'settings.json');
  await writeFile(file, JSON.stringify(SETTINGS));

  expect(await readSourceFile(file, option === null ? {} : { every: option })).toEqual({ ...SETTINGS, every });
});
