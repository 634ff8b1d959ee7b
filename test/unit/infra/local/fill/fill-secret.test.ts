import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../../functions/shared/problem.ts';
import { offeredFill } from '../../../../../infra/local/fill/fill-secret.ts';
import { createSecretsManager } from '../../../../../infra/local/secrets-manager/secrets-manager.ts';

const SECRETS = [
  { consumer: 'post-payment', variable: 'API_KEY', name: 'PostPaymentSecret', holds: 'the key of api.example.com' },
  { consumer: 'mailer', variable: 'MAIL', name: 'own/mailer', holds: null },
  { consumer: 'mailer', variable: 'BUREAU', name: 'bureau', holds: null },
];

function world() {
  const missing: string[] = [];
  const more = { description: null, tags: {}, initialValue: '{"key":"not-set"}' };
  const definition = { name: 'PostPaymentSecret', arn: 'arn:a', ...more };
  const manager = createSecretsManager([definition], { onMissing: (name) => missing.push(name) });
  const call = async (_service: string, operation: string, input: unknown): Promise<Record<string, unknown>> =>
    (await manager[operation]?.(input as Record<string, unknown>)) as Record<string, unknown>;
  const kept = { values: new Map(), onWritten: () => {}, isKept: (name: string) => name !== 'bureau' };
  const offered = offeredFill({ secrets: SECRETS, kept, cloud: { call } });
  const ask = async (name: string, input: object): Promise<unknown> => await offered[name]?.(input);
  const valueOf = async (SecretId: string) =>
    (await call('secretsmanager', 'GetSecretValue', { SecretId }))['SecretString'];
  return { ask, valueOf, missing };
}

describe('filling a secret', () => {
  test('puts the key into one that the stack has made, in its form', async () => {
    const { ask, valueOf } = world();
    const which = { consumer: 'post-payment', variable: null };

    expect(await ask('describeSecret', which)).toEqual(SECRETS[0]);
    expect(await ask('fillSecret', { ...which, value: 'ke"y' })).toEqual({ isKept: true });
    expect(await valueOf('PostPaymentSecret')).toBe('{"key":"ke\\"y"}');
  });

  test('makes one of any other form with the text as it is, says if it is not kept, and writes it again', async () => {
    const { ask, valueOf, missing } = world();
    const which = { consumer: 'mailer', variable: 'BUREAU' };

    expect(await ask('fillSecret', { ...which, value: 'first' })).toEqual({ isKept: false });
    await ask('fillSecret', { ...which, value: 'second' });

    expect(await valueOf('bureau')).toBe('second');
    expect(missing).toEqual([]);
  });

  test.each<[object, RegExp]>([
    [
      { consumer: 'post-paymnet', variable: null },
      /^post-paymnet is no consumer .* Did you mean post-payment\? Those that do: post-payment, mailer\.$/,
    ],
    [
      { consumer: 'mailer', variable: null },
      /^mailer asks for MAIL, BUREAU\. Write one of them: npm run fill -- mailer MAIL$/,
    ],
    [{ consumer: 'mailer', variable: 'MALE' }, /^mailer asks for MAIL, BUREAU\./],
    [{ consumer: 7 }, /^ is no consumer of this run that asks for a secret/],
  ])('of %j is refused in one line', async (which, problem) => {
    const { ask } = world();

    await expect(ask('describeSecret', which)).rejects.toThrow(Problem);
    await expect(ask('fillSecret', { ...which, value: 'x' })).rejects.toThrow(problem);
  });

  test('needs a value', async () => {
    const { ask } = world();

    await expect(ask('fillSecret', { consumer: 'post-payment', variable: null })).rejects.toThrow(
      'The value is missing',
    );
  });
});
