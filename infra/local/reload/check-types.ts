// Checks the types of the functions after a save, which bundling does not do, with the compiler of `npm run check`.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';

/** The compiler itself: the command `tsc` would be a second process, which outlives the first when that is killed. */
const COMPILER = join(
  PROJECT_FOLDER,
  `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib`,
  process.platform === 'win32' ? 'tsc.exe' : 'tsc',
);
const FOLDER = join(PROJECT_FOLDER, 'node_modules/.cache/membership-event-bridge-types');

/**
 * The functions alone take a second, and less when the compiler remembers the files that did not change. A name that is
 * not used yet is no error while somebody is typing.
 */
const SETTINGS = {
  extends: join(PROJECT_FOLDER, 'tsconfig.json'),
  compilerOptions: {
    incremental: true,
    tsBuildInfoFile: join(FOLDER, 'remembered'),
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: [join(PROJECT_FOLDER, 'functions')],
};

/** The errors, each as a line with file and place. None if `signal` ends the check, or where there is no compiler. */
export async function typeProblems(signal: AbortSignal): Promise<string[]> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(SETTINGS));
  const compiler = spawn(COMPILER, ['--project', FOLDER, '--noEmit', '--pretty', 'false'], {
    cwd: PROJECT_FOLDER,
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Its end by the signal is an error, too.
  compiler.on('error', () => {});
  const lines = (await text(compiler.stdout)).split('\n');
  return signal.aborted ? [] : lines.flatMap(problemIn);
}

/** `functions/a.ts(1,2): error TS1: Text` as the bundler writes it. */
function problemIn(line: string): string[] {
  const [, file, row, column, problem] = /^(functions\/.+?)\((\d+),(\d+)\): error (TS\d+: .*)$/.exec(line) ?? [];
  return problem === undefined ? [] : [`${file}:${row}:${column}: ${problem}`];
}
