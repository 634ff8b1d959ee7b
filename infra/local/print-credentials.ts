// `npm run --silent credentials`: asks for username and password and writes them as a secret holds them, for the command that fills it.
import { askCredentials } from './ask-credentials.ts';
import { Problem } from './problem.ts';

const WRONG_USE = 2;

async function main(): Promise<number> {
  const misuse = misuseOf(process);
  if (misuse !== null) {
    console.error(misuse);
    return WRONG_USE;
  }
  try {
    const { username, password } = await askCredentials({});
    process.stdout.write(JSON.stringify({ username, password }));
    return 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return 1;
  }
}

function misuseOf({ stdin, stdout }: { stdin: { isTTY: boolean }; stdout: { isTTY: boolean } }): string | null {
  if (stdout.isTTY)
    return 'This would show the password. Pass it on, as the command does that fills the secret: npm run --silent credentials | aws secretsmanager put-secret-value …';
  return stdin.isTTY ? null : 'Start this from a terminal: it asks for username and password there.';
}

process.exitCode = await main();
