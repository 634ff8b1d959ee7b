// Username and password of the person at the terminal: from the environment or asked for, never on the command line, where others would see them.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Credentials } from '../membership/token.ts';
import { Problem } from './problem.ts';

type Terminal = { input: NodeJS.ReadStream; output: NodeJS.WriteStream };

/** Takes MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD, and asks for what is not there; the password is not shown. Rejects with a Problem. */
export async function askCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  { input, output }: Terminal,
): Promise<Credentials> {
  const { MEMBERSHIP_USERNAME: username, MEMBERSHIP_PASSWORD: password } = environment;
  if (username && password) return { username, password };
  if (!input.isTTY)
    throw new Problem(
      'Username and password are missing. Set MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD, or run this in a terminal to be asked.',
    );
  return {
    username: username || (await ask('Username (email of an admin user): ', { input, output, echo: true })),
    password: password || (await ask('Password (not shown): ', { input, output, echo: false })),
  };
}

async function ask(question: string, { input, output, echo }: Terminal & { echo: boolean }): Promise<string> {
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (echo) output.write(chunk);
      done();
    },
  });
  // Before the question: from here on the terminal itself shows nothing of what is typed.
  const reader = createInterface({ input, output: shown, terminal: true });
  // With echo the reader writes the question itself, because it draws the line anew.
  if (!echo) output.write(question);
  const interrupted = new AbortController();
  reader.once('SIGINT', () => interrupted.abort());
  try {
    return await reader.question(echo ? question : '', { signal: interrupted.signal });
  } catch {
    throw new Problem('Nothing was entered.');
  } finally {
    reader.close();
    if (!echo) output.write('\n');
  }
}
