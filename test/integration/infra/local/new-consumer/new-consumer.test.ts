// `npm run new-consumer` in a copy of the project: what it makes passes the checks of the project as it is.
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../../../../functions/events/event.ts';
import { PROJECT_FOLDER } from '../../../../../infra/local/cloudformation/assembly.ts';
import { consumerFiles, testOf } from '../../../../../infra/local/new-consumer/files.ts';
import { newConsumer } from '../../../../../infra/local/new-consumer/new-consumer.ts';
import { copyProject } from '../../../../support/project-copy.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const run = promisify(execFile);
const TYPES = [...DETAIL_TYPES, ...NOTICE_TYPES];
/** The longest address: the format must not depend on it. */
const LONGEST = new URL(`https://${'a'.repeat(50)}.example/${'b'.repeat(33)}`);

test('the files of a new consumer on any event compile, have no finding and the right format, and the test is green', async () => {
  const project = await copyProject(await temporaryFolder());
  for (const path of ['test/support', 'test/vitest.config.ts', '.oxlintrc.json', '.oxfmtrc.json'])
    await cp(join(PROJECT_FOLDER, path), join(project, path), { recursive: true });
  const inProject = async (...args: string[]) =>
    await run(process.execPath, args, {
      cwd: project,
      env: { ...process.env, INIT_CWD: undefined, FORCE_COLOR: undefined, NO_COLOR: '1' },
    });
  const bin = async (name: string, ...args: string[]) => await inProject(await binOf(name), ...args);
  // The longest name: the format must not depend on it.
  const named = TYPES.flatMap((type, index) =>
    [null, LONGEST].map((calls) => {
      const name = `a${'b'.repeat(24)}-${calls === null ? 'on' : 'to'}${index + 100}`;
      return { name, type, actionKey: null, calls };
    }),
  );
  const filesOf = (asked: typeof named) => asked.flatMap((one) => Object.keys(consumerFiles(one)));
  // One of an event of the log and one of a notice: all others differ in names alone.
  const some = named.filter(({ type }) => type === DETAIL_TYPES[0] || type === NOTICE_TYPES[0]);

  const said = await inProject('infra/local/new-consumer/launch.mjs', 'payment-receipt', '--on', 'PaymentChanged');
  for (const { name, type, calls } of named)
    newConsumer([name, '--on', type, ...(calls === null ? [] : ['--calls', calls.href])], project);

  expect(said.stdout).toContain('npm run test:unit -- payment-receipt');
  await onlyInclude(filesOf(named), join(project, 'tsconfig.json'));
  await bin('typescript');
  await bin('oxlint', '--type-aware', '--deny-warnings', ...filesOf(some));
  await bin('oxfmt', '--check', ...filesOf(named));
  const kinds = ['--project', 'unit', '--project', 'integration', 'payment-receipt', ...some.map(testOf)];
  // In one process of Vitest for each kind, because each of many would load the same modules.
  const inOne = ['--no-isolate', '--maxWorkers', '1'];
  const tested = await bin('vitest', 'run', '--config', 'test/vitest.config.ts', ...inOne, ...kinds);
  // One of each consumer that calls nothing, and three of each that calls an API.
  expect(tested.stdout).toContain('Tests  9 passed (9)');
});

/** Compiler and linter read all files that are included, which takes the linter seconds. */
async function onlyInclude(include: readonly string[], file: string): Promise<void> {
  const settings = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, JSON.stringify({ ...settings, include }));
}

/** The file that the command of a package runs. */
async function binOf(name: string): Promise<string> {
  const folder = join(PROJECT_FOLDER, 'node_modules', name);
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  return join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? ''));
}
