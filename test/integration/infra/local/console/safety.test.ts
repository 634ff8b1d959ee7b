// Who gets what from the console's port, asked without a browser where a browser would not let us.
import type { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { afterAllTests } from '../../../../support/at-end.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';
import { rawRequest } from '../../../../support/raw-request.ts';

const DATA = [
  '/api/facts',
  '/api/live',
  '/api/events/x',
  '/api/service/local',
  '/api/guide?document=operating&title=Alarms',
];

describe('the port of the console', () => {
  const atEnd = afterAllTests();
  let [run, base, key]: [ConsoleRun, string, string] = [] as never;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
    const { origin, hash } = new URL(run.url);
    [base, key] = [origin, hash.replace('#key=', '')];
  });

  test('gives its pages to anybody, without data, and with a policy that allows nothing but its own files', async () => {
    const page = await fetch(`${base}/events`);

    expect(page.status).toBe(200);
    expect(await page.text()).not.toContain(key);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('gives data to nobody without the key of the run, however it is asked', async () => {
    const wrong = '0'.repeat(32);
    for (const path of DATA) {
      for (const headers of [{}, { 'x-run-key': wrong }, { cookie: `x-run-key=${key}` }])
        expect((await fetch(`${base}${path}`, { headers })).status).toBe(403);
      expect((await fetch(`${base}${path}${path.includes('?') ? '&' : '?'}key=${wrong}`)).status).toBe(403);
    }
    const pause = { method: 'POST', body: '["pause","local","--yes"]' };
    expect((await fetch(`${base}/api/command`, pause)).status).toBe(403);
    expect((await fetch(`${base}//api/facts`)).status).toBe(404);
    expect((await fetch(`${base}/API/facts`)).status).toBe(404);
  });

  test('answers no other host and no other origin, even with the key', async () => {
    const headers = { 'x-run-key': key };
    expect((await fetch(`${base}/api/facts`, { headers })).status).toBe(200);
    expect((await fetch(`${base}/api/facts`, { headers: { ...headers, origin: 'http://evil.example' } })).status).toBe(
      403,
    );
    expect(await rawRequest(`${base}/api/facts`, { headers: { ...headers, host: 'evil.example' } })).toMatchObject({
      status: 403,
    });
  });

  const ask = async (body: unknown): Promise<{ status: number; error?: string }> => {
    const headers = { 'x-run-key': key };
    const answer = await fetch(`${base}/api/command`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, ...((await answer.json().catch(() => ({}))) as object) };
  };

  test('runs four commands in parallel, the others after them', async () => {
    let [now, most] = [0, 0];
    const count = (worker: Worker): void => {
      most = Math.max(most, (now += 1));
      worker.once('exit', () => (now -= 1));
    };
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const answers = await Promise.all(Array.from({ length: 6 }, async () => await ask(['status', 'nobody'])));

    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(most).toBe(4);
  });

  test('runs no command that waits for a person, follows, writes a file or is none, and takes no large body', async () => {
    expect(await ask(['credentials', 'set', 'local'])).toMatchObject({
      status: 409,
      error: expect.stringContaining('does not run credentials') as string,
    });
    for (const option of ['--watch', '--watch=1', '--report', '--report=/tmp/x'])
      expect(await ask(['status', option])).toMatchObject({ status: 409 });
    for (const body of [[], ['status', 1], 'status', null, {}]) expect((await ask(body)).status).toBe(409);
    expect((await ask(['status', 'x'.repeat(2_000_000)])).status).toBe(413);
    expect(await ask(['status', 'nobody'])).toMatchObject({ status: 200, code: 2 });
  });
});
