// `npm run --silent credentials`: asks for username and password, with `-- --url` for an address, with `-- --api-key <header>` for a key, and writes them as a secret holds them, for the command that fills it.
import { askAddress, askApiKey, askCredentials } from './run/ask-credentials.ts';
import { Problem } from '../shared/problem.ts';

const WRONG_USE = 2;

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
  return option === '--api-key' ? await askApiKey(header) : await askCredentials({});
}

function misuseOf({ stdin, stdout }: { stdin: { isTTY: boolean }; stdout: { isTTY: boolean } }): string | null {
  if (stdout.isTTY)
    return 'This would show the secret. Pass it on, as the command does that fills the secret: npm run --silent credentials | aws secretsmanager put-secret-value …';
  return stdin.isTTY ? null : 'Start this from a terminal: it asks for them there.';
}

process.exitCode = await main();
