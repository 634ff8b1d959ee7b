import { describe, expect, it } from 'vitest';
import { periodOf, verifyCommand, type VerifyOptions } from '../../../../functions/operator/audit/verify-options.ts';

async function parse(...args: string[]): Promise<VerifyOptions> {
  let options: VerifyOptions | null = null;
  const command = verifyCommand(async (parsed) => void (options = parsed))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await command.parseAsync(['--source', 'acme', ...args], { from: 'user' });
  return options!;
}

describe('verifyCommand', () => {
  it('returns the options with their values', async () => {
    const head = `4:${'AB'.repeat(32)}`;

    const options = await parse('--folder', 'copy', '--from', '2026-11-01', '--head', head, '--dead-letters', 'a', 'b');

    expect(options).toEqual({
      source: 'acme',
      folder: 'copy',
      from: '2026-11-01',
      head: { number: 4, sha256: 'ab'.repeat(32) },
      deadLetters: ['a', 'b'],
    });
    expect(periodOf(options)).toEqual({ from: '2026-11-01', to: null });
  });

  it.each([
    ['without a copy', [], 'Name the copy'],
    ['with both a bucket and a folder', ['--bucket', 'a', '--folder', 'b'], 'cannot be used with'],
    ['with an impossible day', ['--folder', '.', '--from', '2026-02-30'], 'Write a day such as'],
    ['with days in the wrong order', ['--folder', '.', '--from', '2026-02-02', '--to', '2026-02-01'], 'is after'],
    ['with an incomplete head', ['--folder', '.', '--head', '12'], 'its SHA-256'],
    ['with --against-source and no address', ['--folder', '.', '--against-source'], 'needs --base-url'],
    ['with an address and no --against-source', ['--folder', '.', '--base-url', 'https://a'], 'need --against-source'],
    ['with a rate of 0', ['--folder', '.', '--requests-per-minute', '0'], 'from 1 to 600'],
    ['with an unknown option', ['--folder', '.', '--password', 'x'], "unknown option '--password'"],
  ])('rejects %s', async (_when, args, message) => {
    await expect(parse(...args)).rejects.toThrow(message);
  });
});
