import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../../functions/shared/problem.ts';
import { CONTROL, createControl } from '../../../../../infra/local/cloud/control.ts';
import { createRunKey } from '../../../../../infra/local/platform/run-key.ts';

const key = createRunKey();
const operations = {
  echo: async (input: unknown) => input,
  refuse: async () => {
    throw new Problem('Do something else.');
  },
};

async function ask(name: string, { body = '{}', given = key.text, method = 'POST' } = {}) {
  let isRead = false;
  const answer = await createControl({ key, operations: () => operations })({
    method,
    path: `${CONTROL.path}${name}`,
    headers: { [CONTROL.keyHeader]: given },
    body: async () => {
      isRead = true;
      return body;
    },
  });
  return { status: answer?.status, answer: JSON.parse(answer?.body ?? 'null') as unknown, isRead };
}

describe('what a run offers to programs', () => {
  it('is asked for by its name, as JSON', async () => {
    expect(await ask('echo', { body: '[1]' })).toMatchObject({ status: 200, answer: [1] });
  });

  it('answers a Problem in one sentence', async () => {
    expect(await ask('refuse')).toMatchObject({ status: 409, answer: { error: 'Do something else.' } });
  });

  it.each(['', 'wrong'])('reads no body of whoever has the key "%s"', async (given) => {
    expect(await ask('echo', { given })).toMatchObject({ status: 403, isRead: false });
  });

  it.each(['__proto__', 'constructor', '../control/echo', 'echo?x', ''])('has no operation "%s"', async (name) => {
    expect(await ask(name)).toMatchObject({ status: 409, isRead: false });
  });

  it.each([
    ['no JSON', '{', 'The body is not JSON.'],
    ['too long', `"${'x'.repeat(1_000_000)}"`, 'The body has more than 1000000 characters.'],
  ])('refuses a body that is %s', async (_what, body, error) => {
    expect(await ask('echo', { body })).toMatchObject({ status: 409, answer: { error } });
  });

  it('leaves other methods to others', async () => {
    expect(await ask('echo', { method: 'GET' })).toMatchObject({ status: undefined, isRead: false });
  });
});
