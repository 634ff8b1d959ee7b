// `npm run --silent credentials`: asks for a secret and prints it as JSON, for the command that stores it. Username and
// password by default; `-- --url` asks for an address, `-- --api-key <header>` for an API key.
import { askCredentials, askSecret } from '../../functions/shared/ask-credentials.ts';
import { Problem } from '../../functions/shared/problem.ts';

const WRONG_USE = 2;
/** Questions go to standard error: standard output carries the secret. */
const TERMINAL = { input: process.stdin, output: process.stderr };

async function main(): Promise<number> {
  const misuse = misuseOf(process);
  if (misuse !== null) {
    console.error(misuse);
    return WRONG_USE;
  }
  try {
    process.stdout.write(JSON.stringify(await ask(process.argv.slice(2))));
    return 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Username and password, or what the options ask for. */
async function ask([option, header = '']: readonly string[]): Promise<object> {
  if (option === '--url') return await askAddress();
  return option === '--api-key' ? await askApiKey(header) : await askCredentials({}, TERMINAL);
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
  const key = (await askSecret('API key (not shown): ', TERMINAL)).trim();
  if (key === '') throw new Problem('Nothing was entered.');
  return { ApiKeyAuthParameters: { ApiKeyName: header, ApiKeyValue: key } };
}

function misuseOf({ stdin, stdout }: { stdin: { isTTY: boolean }; stdout: { isTTY: boolean } }): string | null {
  if (stdout.isTTY)
    return 'This would show the secret on the screen. Pipe it into the command that stores it: npm run --silent credentials | aws secretsmanager put-secret-value …';
  return stdin.isTTY ? null : 'Run this in a terminal, so that it can ask.';
}

process.exitCode = await main();
