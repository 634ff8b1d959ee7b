// `npm run --silent credentials`: asks for a secret and prints it as JSON, for the command that stores it. Username and
// password by default; `-- --url` asks for an address, `-- --key` for a key, `-- --api-key <header>` for one of
// EventBridge. `-- --to <file>` writes it to a file, for shells without /dev/stdin.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { askCredentials, askKey, askSecret } from '../../functions/shared/ask-credentials.ts';
import { Problem } from '../../functions/shared/problem.ts';
import { makePrivate } from '../shared/private-files.ts';

const WRONG_USE = 2;
/** Questions go to standard error: standard output carries the secret. */
const TERMINAL = { input: process.stdin, output: process.stderr };

type Options = { url?: boolean; key?: boolean; 'api-key'?: string; to?: string };

const OPTIONS = {
  url: { type: 'boolean' },
  key: { type: 'boolean' },
  'api-key': { type: 'string' },
  to: { type: 'string' },
} as const;

async function main(): Promise<number> {
  const { values }: { values: Options } = parseArgs({ options: OPTIONS });
  const misuse = misuseOf(process, values);
  if (misuse !== null) {
    console.error(misuse);
    return WRONG_USE;
  }
  try {
    put(toAscii(JSON.stringify(await ask(values))), values);
    return 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** A file is made its owner's only before it holds the secret. */
function put(secret: string, { to }: Options): void {
  if (to === undefined) return void process.stdout.write(secret);
  writeFileSync(to, '', { mode: 0o600 });
  makePrivate(to);
  writeFileSync(to, secret);
}

/** JSON that every shell and encoding leaves as it is. */
function toAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Username and password, or what the options ask for. */
async function ask({ url, key, 'api-key': header }: Options): Promise<object> {
  if (url === true) return await askAddress();
  if (key === true) return { key: await askKey('Key (not shown): ', TERMINAL) };
  return header === undefined ? await askCredentials({}, TERMINAL) : await askApiKey(header);
}

/** A secret address, such as that of an incoming webhook. */
async function askAddress(): Promise<{ url: string }> {
  const url = (await askSecret('Address (not shown): ', TERMINAL)).trim();
  if (!URL.canParse(url))
    throw new Problem('That is not an address. Write all of it, beginning with https:// or smtp://.');
  return { url };
}

/** A receiver's API key for that header, in the form that EventBridge takes for a connection. */
async function askApiKey(header: string): Promise<object> {
  const key = await askKey('API key (not shown): ', TERMINAL);
  return { ApiKeyAuthParameters: { ApiKeyName: header, ApiKeyValue: key } };
}

function misuseOf({ stdin, stdout }: NodeJS.Process, { to }: Options): string | null {
  if (stdout.isTTY && to === undefined)
    return 'This would show the secret on the screen. Pipe it into the command that stores it: npm run --silent credentials | aws secretsmanager put-secret-value …';
  return stdin.isTTY ? null : 'Run this in a terminal, so that it can ask.';
}

process.exitCode = await main();
