import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSlackAnswer } from '../../../functions/consumers/notifier/channels/slack/slack-answer.ts';
import { createPoster, type Poster } from '../../../functions/consumers/post.ts';
import { startSlack, type Slack, type Step } from './slack-endpoint.ts';

const NOW = Date.UTC(2026, 10, 21, 7);

let slack: Slack;
let poster: Poster;

beforeAll(async () => {
  slack = await startSlack();
  poster = createPoster({ totalMs: 400 });
});
afterAll(async () => {
  await poster.close();
  await slack.close();
});
beforeEach(() => slack.begin());

async function verdictOf(step: Step) {
  slack.answerNext(step);
  return readSlackAnswer(await poster.post(slack.url, '{"text":"hello"}', { timeoutMs: 400 }), NOW);
}

describe('a message posted to Slack (D11)', () => {
  it('arrives unchanged and is sent with "ok"', async () => {
    slack.answerNext({ body: 'ok\n' });
    const json = JSON.stringify({ text: 'Ádám 😀 \u2028' });

    const answer = await poster.post(slack.url, json, { timeoutMs: 400 });

    expect(readSlackAnswer(answer, NOW)).toEqual({ kind: 'sent' });
    expect(slack.posted).toMatchObject([{ path: '/services/T0/B0/secret-of-the-hook', text: json }]);
  });

  it.each([
    ['of 30 seconds', { 'retry-after': '30' }, 30_000],
    [
      'until a date',
      { 'retry-after': 'Sat, 21 Nov 2026 07:02:00 GMT', date: 'Sat, 21 Nov 2026 07:00:00 GMT' },
      120_000,
    ],
    ['without a time', {}, 30_000],
    ['of a word', { 'retry-after': 'soon' }, 30_000],
  ])('waits at a 429 %s', async (_what, headers, ms) => {
    const verdict = await verdictOf({ status: 429, body: 'rate_limited', headers });

    expect(verdict).toEqual({ kind: 'wait', until: NOW + ms });
  });

  it.each([403, 404, 410])('is refused for good at %i', async (status) => {
    expect(await verdictOf({ status, body: 'no_service' })).toEqual({ kind: 'refused', status });
  });

  it.each<[string, Step, object]>([
    ['200 with another word', { body: 'invalid_payload' }, { status: 200, reason: 'invalid_payload' }],
    ['200 and a page', { body: '<html>ok</html>' }, { status: 200, reason: 'unknown' }],
    ['400', { status: 400, body: 'invalid_blocks' }, { status: 400, reason: 'invalid_blocks' }],
    ['500', { status: 500, body: '' }, { status: 500, reason: 'unknown' }],
    ['a drip', 'drip', { status: 200, reason: 'incomplete' }],
    ['a large body', 'flood', { status: 200, reason: 'incomplete' }],
    ['silence', 'hang', { reason: 'deadline' }],
    ['a broken connection', 'reset', { reason: 'UND_ERR_SOCKET' }],
  ])('fails and is retried at %s', async (_what, step, details) => {
    const before = Date.now();

    await expect(verdictOf(step)).rejects.toMatchObject({ code: 'DeliveryFailed', retryable: true, details });
    expect(Date.now() - before).toBeLessThan(1_500);
  });

  it('is not read beyond its limit', async () => {
    const patient = createPoster({ totalMs: 5_000, maxBytes: 3 });
    slack.answerNext('drip');
    const before = Date.now();

    const answer = await patient.post(slack.url, '{}', { timeoutMs: 5_000 });

    expect(answer).toMatchObject({ status: 200, text: 'ooo', isWhole: false });
    expect(Date.now() - before).toBeLessThan(2_000);
    await patient.close();
  });

  it('follows no redirect', async () => {
    const location = slack.url.replace('secret-of-the-hook', 'elsewhere');

    await expect(verdictOf({ status: 307, headers: { location } })).rejects.toMatchObject({ details: { status: 307 } });
    expect(slack.posted).toHaveLength(1);
  });

  it('does not reveal the address if nobody listens', async () => {
    const failure = poster.post('http://127.0.0.1:1/services/secret', '{}', { timeoutMs: 400 });

    await expect(failure).rejects.toMatchObject({ code: 'DeliveryFailed', details: { reason: 'ECONNREFUSED' } });
    await expect(failure).rejects.not.toThrow(/secret|127\.0\.0\.1/);
  });

  it('ends with the time of the caller if that is less than its own', async () => {
    slack.answerNext('hang');
    const before = Date.now();

    await expect(poster.post(slack.url, '{}', { timeoutMs: 100 })).rejects.toMatchObject({
      details: { reason: 'deadline' },
    });
    expect(Date.now() - before).toBeLessThan(350);
  });
});
