import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Problem } from '../../../../../functions/shared/problem.ts';
import { openKeptSecrets } from '../../../../../infra/local/secrets-manager/kept-secrets.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const NAMES = new Set(['accounting', 'mailer']);

let file = '';
beforeEach(async () => void (file = join(await temporaryFolder(), 'secrets.json')));

const open = () => openKeptSecrets(file, NAMES);

describe('the secrets of consumers', () => {
  test('are made private again with the next one, whatever was done to the file', () => {
    open().onWritten('accounting', 'one');
    chmodSync(file, 0o644);

    open().onWritten('mailer', 'two');

    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(open().values.size).toBe(2);
  });

  test('of a consumer that does not run now stay in the file, and are given to nobody', () => {
    openKeptSecrets(file, new Set(['other'])).onWritten('other', 'kept');

    const now = open();
    now.onWritten('accounting', 'one');

    expect([...now.values]).toEqual([]);
    expect([...openKeptSecrets(file, new Set(['other'])).values]).toEqual([['other', 'kept']]);
  });
});

describe('the password of a source is never written', () => {
  const PASSWORD = 'pass"word\\é';
  const source = JSON.stringify({ username: 'admin@example.org', password: PASSWORD });

  test('as a secret of its own', () => {
    const kept = open();
    kept.onWritten('CredentialsAcme', source);

    expect([existsSync(file), kept.isKept('CredentialsAcme')]).toEqual([false, false]);
  });

  test.each([
    ['the same text', source],
    ['other members', JSON.stringify({ user: 'x', secret: PASSWORD })],
    ['nothing else', PASSWORD],
  ])('as the secret of a consumer with %s, before or after', (_what, text) => {
    const before = open();
    before.onWritten('mailer', 'fine');
    before.onWritten('CredentialsAcme', source);
    before.onWritten('accounting', text);
    expect([before.isKept('accounting'), before.isKept('mailer')]).toEqual([false, true]);

    rmSync(file);
    const after = open();
    after.onWritten('accounting', text);
    after.onWritten('CredentialsAcme', source);

    expect(after.isKept('accounting')).toBe(false);
    expect(readFileSync(file, 'utf8')).not.toMatch(/pass/);
  });

  test.each(['no JSON', '"text"', 'null', '{"password":7}', '{"password":""}'])(
    'and %s in the place of one keeps nothing from being kept',
    (text) => {
      const kept = open();
      kept.onWritten('CredentialsAcme', text);
      kept.onWritten('accounting', '{"key":"7"}');

      expect(kept.isKept('accounting')).toBe(true);
    },
  );
});

test('a file that is none is refused in a line that says what to do, and repeats nothing of it', () => {
  writeFileSync(file, 'hidden');

  expect(open).toThrow(Problem);
  expect(open).toThrow(/secrets\.json cannot be read\. Remove it, and fill the secrets of the consumers again\.$/);
});
