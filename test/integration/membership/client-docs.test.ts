// The example of docs/client.md, run against the local membership service. (`npm run check` compiles it.)
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startMembershipService } from '../../../infra/membership-service/service.ts';
import { documentBlocks } from '../../support/document-blocks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

test('the example of docs/client.md reads an organisation', async () => {
  const [example] = documentBlocks('docs/client.md', 'ts');
  // Inside the project, so that the package's own name is found.
  await mkdir(join(ROOT, '.local'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.local', 'client-docs-'));
  const service = await startMembershipService();
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });
  await writeFile(join(folder, 'contacts.ts'), example?.text ?? '');

  const { stdout } = await run(process.execPath, [join(folder, 'contacts.ts')], {
    env: {
      ...process.env,
      MEMBERSHIP_URL: service.url,
      MEMBERSHIP_USERNAME: service.username,
      MEMBERSHIP_PASSWORD: service.password,
      ORGANISATION_ID: service.organisationId,
    },
  });

  expect(stdout).toMatch(/\d+ tags\n$/);
});
