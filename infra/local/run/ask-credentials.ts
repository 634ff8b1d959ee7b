// Username and password of a real service: from the environment or from the person at the terminal, never from a file and never to one.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Problem } from '../../shared/problem.ts';

export type Credentials = { username: string; password: string };

/** Takes MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD, and asks for what is not there; the password is not shown. */
export async function askCredentials(environment: Readonly<Record<string, string | undefined>>): Promise<Credentials> {
  const { MEMBERSHIP_USERNAME: username, MEMBERSHIP_PASSWORD: password } = environment;
  if (username && password) return { username, password };
  if (!process.stdin.isTTY)
    throw new Problem(
      'Username and password are missing. Set MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD, or start from a terminal to be asked.',
    );
  return {
    username: username || (await ask('Username (email of an admin user): ', { echo: true })),
    password: password || (await ask('Password (not shown): ', { echo: false })),
  };
}

/** An address that is a secret, such as that of an incoming webhook; it is not shown. Rejects with a Problem for what is none. */
export async function askAddress(): Promise<{ url: string }> {
  const url = (await ask('Address (not shown): ', { echo: false })).trim();
  if (!URL.canParse(url))
    throw new Problem('That is no address. Write the whole of it, with https:// or smtp:// before it.');
  return { url };
}

/** The key of a receiver in the header of that name, as EventBridge takes it for a connection; it is not shown. */
export async function askApiKey(header: string): Promise<object> {
  const key = (await ask('API key (not shown): ', { echo: false })).trim();
  if (key === '') throw new Problem('Nothing was entered.');
  return { ApiKeyAuthParameters: { ApiKeyName: header, ApiKeyValue: key } };
}

async function ask(question: string, { echo }: { echo: boolean }): Promise<string> {
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (echo) process.stderr.write(chunk);
      done();
    },
  });
  // Before the question: from here on the terminal itself shows nothing of what is typed.
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  // With echo the reader writes the question itself, because it draws the line anew.
  if (!echo) process.stderr.write(question);
  const interrupted = new AbortController();
  reader.once('SIGINT', () => interrupted.abort());
  try {
    return await reader.question(echo ? question : '', { signal: interrupted.signal });
  } catch {
    throw new Problem('Nothing was entered.');
  } finally {
    reader.close();
    if (!echo) process.stderr.write('\n');
  }
}
