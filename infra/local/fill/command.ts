// `npm run fill -- post-payment`: asks for the secret of a consumer and hands it to a running `npm start`.
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { askKey } from '../../../functions/shared/ask-credentials.ts';
import { printableLines } from '../../../functions/shared/printable.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { askRun } from '../cloud/ask-run.ts';
import { PROJECT_FOLDER } from '../cloudformation/assembly.ts';
import { findRun } from '../platform/state-folder.ts';
import { onScreen } from '../terminal/terminal.ts';
import type { OfferedFill, WhichSecret } from './fill-secret.ts';

const WRONG_USE = 2;
const USAGE =
  'Write the name of a consumer, and the variable if it has several secrets: npm run fill -- post-payment API_KEY';

async function main(args: readonly string[]): Promise<number> {
  const asked = readArgs(args);
  if (asked === null) {
    console.error(onScreen(USAGE, process.stderr));
    return WRONG_USE;
  }
  try {
    console.log(onScreen(await fill(asked), process.stdout));
    return 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(onScreen(printableLines(error.message), process.stderr));
    return 1;
  }
}

type Asked = WhichSecret & { state: string | null };

function readArgs(args: readonly string[]): Asked | null {
  try {
    const options = { state: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [consumer, variable = null, ...others] = positionals;
    return consumer === undefined || others.length > 0 ? null : { consumer, variable, state: values.state ?? null };
  } catch {
    return null;
  }
}

async function fill({ state, ...which }: Asked): Promise<string> {
  const run = findRun(stateFolder(state));
  const ask = async <Name extends keyof OfferedFill>(name: Name, input: OfferedFill[Name]['input']) =>
    (await askRun(run, name, input)) as OfferedFill[Name]['answer'];
  const { consumer, variable, holds } = await ask('describeSecret', which);
  const value = await readValue(`${variable} of ${consumer}, ${holds ?? 'the text that it reads'} (not shown): `);
  const { isKept } = await ask('fillSecret', { consumer, variable, value });
  const kept = isKept
    ? 'The next npm start has it, too: it is in secrets.json of the state folder, which only you can read.'
    : 'It is not kept for the next npm start, because it holds the password of a source.';
  return `${consumer} has its ${variable} from the next event on. ${kept}`;
}

/** From the terminal without echo, or what is piped in. */
async function readValue(question: string): Promise<string> {
  if (process.stdin.isTTY) return await askKey(question, { input: process.stdin, output: process.stderr });
  const value = (await text(process.stdin)).trim();
  if (value === '')
    throw new Problem('Nothing was entered. Run this in a terminal to be asked, or pipe the secret in.');
  return value;
}

/** npm changes to the project's folder; relative paths are meant from where it was called. */
function stateFolder(state: string | null): string {
  return state === null ? resolve(PROJECT_FOLDER, '.local') : resolve(process.env['INIT_CWD'] ?? process.cwd(), state);
}

process.exitCode = await main(process.argv.slice(2));
