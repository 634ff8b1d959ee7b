import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askCredentials } from '../../../functions/shared/ask-credentials.ts';

/** A terminal, and a person who answers each question as it comes; `told` is all that was shown and done, in order. */
function aTerminal(answers: Readonly<Record<string, string>>) {
  const told: string[] = [];
  const setRawMode = (raw: boolean): void => void told.push(raw ? '<silent>' : '<as it was>');
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode }) as unknown as NodeJS.ReadStream;
  const output = new PassThrough() as unknown as NodeJS.WriteStream;
  output.on('data', (chunk: Buffer) => {
    told.push(chunk.toString());
    const answer = Object.entries(answers).find(([question]) => chunk.toString().includes(question))?.[1];
    if (answer !== undefined) setImmediate(() => (input as unknown as PassThrough).write(answer));
  });
  return { terminal: { input, output }, told };
}

describe('askCredentials', () => {
  it('takes both from the environment and asks nothing', async () => {
    const { terminal, told } = aTerminal({});

    const credentials = await askCredentials({ MEMBERSHIP_USERNAME: 'me', MEMBERSHIP_PASSWORD: 'secret' }, terminal);

    expect(credentials).toEqual({ username: 'me', password: 'secret' });
    expect(told).toEqual([]);
  });

  it('asks for what is not there; the password is never shown, and the terminal is silent before it is asked for', async () => {
    const { terminal, told } = aTerminal({ Username: 'me@example.org\r', Password: 'secret\r' });

    const credentials = await askCredentials({}, terminal);

    expect(credentials).toEqual({ username: 'me@example.org', password: 'secret' });
    expect(told.join('')).not.toContain('secret');
    const asked = told.findIndex((text) => text.includes('Password'));
    expect(told[asked - 1]).toBe('<silent>');
    expect(told.at(-1)).toBe('\n');
  });

  it('asks for the password alone where the username is in the environment', async () => {
    const { terminal, told } = aTerminal({ Password: 'secret\r' });

    const credentials = await askCredentials({ MEMBERSHIP_USERNAME: 'me' }, terminal);

    expect(credentials).toEqual({ username: 'me', password: 'secret' });
    expect(told.join('')).not.toContain('Username');
  });

  it('ends where the person gives up', async () => {
    const { terminal } = aTerminal({ Username: '\u0003' });

    await expect(askCredentials({}, terminal)).rejects.toThrow('Nothing was entered.');
  });

  it('says what to set where nobody can be asked', async () => {
    const { terminal } = aTerminal({});
    Object.assign(terminal.input, { isTTY: false });

    await expect(askCredentials({ MEMBERSHIP_USERNAME: 'me' }, terminal)).rejects.toThrow(
      /Set MEMBERSHIP_USERNAME and/,
    );
  });
});
