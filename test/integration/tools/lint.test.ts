import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LINT = join(import.meta.dirname, '../../tools/templates/lint.ts');
const TIMEOUT_MS = 60_000;

/** Runs the command with a program in the place of cfn-lint that writes its arguments into a file. */
async function lint(script: string | null) {
  const folder = await temporaryFolder();
  const command = join(folder, 'cfn-lint');
  if (script !== null) {
    await writeFile(command, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/arguments"\n${script}\n`);
    await chmod(command, 0o755);
  }
  const ended = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, [LINT, command], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
  });
  const words = script === null ? [] : (await readFile(join(folder, 'arguments'), 'utf8')).trim().split('\n');
  return { ...ended, words };
}

it('gives every template of the five configurations to cfn-lint', { timeout: TIMEOUT_MS }, async () => {
  const { code, text, words } = await lint('exit 0');

  expect(words.filter((word) => word.endsWith('.template.json'))).toHaveLength(16);
  expect(text).toMatch(/^cfn-lint, 16 templates \(the default, everything, .*thirty channels\): no finding\.$/m);
  expect(code).toBe(0);
});

it('ends with the exit code of cfn-lint where that found something', { timeout: TIMEOUT_MS }, async () => {
  expect(await lint('exit 2')).toMatchObject({ code: 2, text: expect.stringContaining('findings, see above') });
});

it('says how to install what is missing', { timeout: TIMEOUT_MS }, async () => {
  const { code, text } = await lint(null);

  expect(code).toBe(2);
  expect(text).toContain('cannot be started');
  expect(text).toContain('pip install cfn-lint');
});
