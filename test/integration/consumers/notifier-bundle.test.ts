import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle } from '../../../infra/local/reload/bundle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** undici has 737 KB, nodemailer 246 KB, the clients of SES and SQS 155 KB. All are loaded with their first use. */
const LIMIT_BYTES = 1_650_000;

it('the bundle of the notifier loads and is within its budget', async () => {
  const folder = await temporaryFolder();
  const bundled = await bundle('functions/consumers/notifier/handler.ts', folder);
  const code = 'files' in bundled ? bundled.files.get('index.js') : undefined;
  await writeFile(join(folder, 'index.cjs'), code ?? '');

  const load = `console.log(typeof require(${JSON.stringify(join(folder, 'index.cjs'))}).handler)`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=commonjs', '-e', load]);

  expect(code?.length).toBeLessThan(LIMIT_BYTES);
  expect(stdout.trim()).toBe('function');
});
