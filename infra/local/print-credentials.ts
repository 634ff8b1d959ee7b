// `npm run --silent credentials`: asks for username and password, with `-- --url` for an address, with `-- --api-key <header>` for a key, and writes them as a secret holds them, for the command that fills it.
import { askCredentials, askSecret } from '../../functions/shared/ask-credentials.ts';
import { Problem } from '../../functions/shared/problem.ts';

const WRONG_USE = 2;
/** Questions go to standard error, because standard output carries the secret. */
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

/** An address that is a secret, such as that of an incoming webhook. */
async function askAddress(): Promise<{ url: string }> {
  const url = (await askSecret('Address (not shown): ', TERMINAL)).trim();
  if (!URL.canParse(url))
    throw new Problem('That is no address. Write the whole of it, with https:// or smtp:// before it.');
  return { url };
}

/** The key of a receiver in the header of that name, as EventBridge takes it for a connection. */
async function askApiKey(header: string): Promise<object> {
  const key = (await askSecret('API key (not shown): ', TERMINAL)).trim();
  if (key === '') throw new Problem('Nothing was entered.');
  return { ApiKeyAuthParameters: { ApiKeyName: header, ApiKeyValue: key } };
}

function misuseOf({ stdin, stdout }: { stdin: { isTTY: boolean }; stdout: { isTTY: boolean } }): string | null {
  if (stdout.isTTY)
    return 'This would show the secret. Pass it on, as the command does that fills the secret: npm run --silent credentials | aws secretsmanager put-secret-value …';
  return stdin.isTTY ? null : 'Start this from a terminal: it asks for them there.';
}

process.exitCode = await main();
