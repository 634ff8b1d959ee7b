// The TypeScript that the README shows of the client: compiled, and run against the local membership service.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startMembershipService } from '../../../infra/membership-service/service.ts';
import { documentBlocks } from '../../support/document-blocks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

test('what the README shows of the client compiles, and reads an organisation', async () => {
  const blocks = documentBlocks('README.md', 'ts').filter(({ heading }) => heading.startsWith('Reading and writing'));
  // Inside the project, so that the package's own name is found.
  await mkdir(join(ROOT, '.local'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.local', 'readme-'));
  const service = await startMembershipService();
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });
  await writeFile(join(folder, 'contacts.ts'), blocks[0]?.text ?? '');
  await writeFile(join(folder, 'tsconfig.json'), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }');

  const compiled = await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', folder]);
  const { stdout } = await run(process.execPath, [join(folder, 'contacts.ts')], {
    env: {
      ...process.env,
      MEMBERSHIP_URL: service.url,
      MEMBERSHIP_USERNAME: service.username,
      MEMBERSHIP_PASSWORD: service.password,
      ORGANISATION_ID: service.organisationId,
    },
  });

  expect(blocks).toHaveLength(1);
  expect(compiled.stdout).toBe('');
  expect(stdout).toMatch(/\d+ tags\n$/);
});
