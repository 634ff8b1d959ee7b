import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askCredentials, askYes } from '../../../functions/shared/ask-credentials.ts';

/** A terminal with a person who answers each question. `shown` has all output and changes of the echo, in order. */
function aTerminal(answers: Readonly<Record<string, string>>) {
  const shown: string[] = [];
  const setRawMode = (raw: boolean): void => void shown.push(raw ? '<silent>' : '<restored>');
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode }) as unknown as NodeJS.ReadStream;
  const output = new PassThrough() as unknown as NodeJS.WriteStream;
  output.on('data', (chunk: Buffer) => {
    shown.push(chunk.toString());
    const answer = Object.entries(answers).find(([question]) => chunk.toString().includes(question))?.[1];
    if (answer !== undefined) setImmediate(() => (input as unknown as PassThrough).write(answer));
  });
  return { terminal: { input, output }, shown };
}

describe('askCredentials', () => {
  it('reads both from the environment and asks nothing', async () => {
    const { terminal, shown } = aTerminal({});

    const environment = { MEMBERSHIP_USERNAME: 'me', MEMBERSHIP_PASSWORD: 'secret', PATH: '/bin' };

    const credentials = await askCredentials(environment, terminal);

    // Nobody who is started afterwards gets them.
    expect(environment).toEqual({ PATH: '/bin' });
    expect(credentials).toEqual({ username: 'me', password: 'secret' });
    expect(shown).toEqual([]);
  });

  it('asks for missing ones, and switches off the echo before it asks for the password', async () => {
    const { terminal, shown } = aTerminal({ Username: 'me@example.org\r', Password: 'secret\r' });

    const credentials = await askCredentials({}, terminal);

    expect(credentials).toEqual({ username: 'me@example.org', password: 'secret' });
    expect(shown.join('')).not.toContain('secret');
    const asked = shown.findIndex((text) => text.includes('Password'));
    expect(shown[asked - 1]).toBe('<silent>');
    expect(shown.at(-1)).toBe('\n');
  });

  it('asks only for the password if the username is in the environment', async () => {
    const { terminal, shown } = aTerminal({ Password: 'secret\r' });

    const credentials = await askCredentials({ MEMBERSHIP_USERNAME: 'me' }, terminal);

    expect(credentials).toEqual({ username: 'me', password: 'secret' });
    expect(shown.join('')).not.toContain('Username');
  });

  it('rejects if the person cancels', async () => {
    const { terminal } = aTerminal({ Username: '\u0003' });

    await expect(askCredentials({}, terminal)).rejects.toThrow('Nothing was entered.');
  });

  it('rejects an empty answer: no login is sent with it', async () => {
    const { terminal } = aTerminal({ Username: 'me@example.org\r', Password: '\r' });

    await expect(askCredentials({}, terminal)).rejects.toThrow('Nothing was entered.');
  });

  it('says what to set without a terminal', async () => {
    const { terminal } = aTerminal({});
    Object.assign(terminal.input, { isTTY: false });

    await expect(askCredentials({ MEMBERSHIP_USERNAME: 'me' }, terminal)).rejects.toThrow(
      /Set MEMBERSHIP_USERNAME and/,
    );
  });
});

describe('askYes', () => {
  it.each([
    ['y', 'y\r', true],
    ['Yes', ' Yes \r', true],
    ['no', 'no\r', false],
    ['an empty line', '\r', false],
    ['Ctrl-C', '\u0003', false],
    ['Ctrl-D', '\u0004', false],
  ])('takes %s', async (_what, typed, isAgreed) => {
    const { terminal, shown } = aTerminal({ 'Do it?': typed });

    expect(await askYes('Do it? ', terminal)).toBe(isAgreed);
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown.join('')).toContain('\n');
  });
});
