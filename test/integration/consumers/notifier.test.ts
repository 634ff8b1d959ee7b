import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SlackChannel, EmailChannel } from '../../../functions/consumers/notifier/config.ts';
import { PLACEHOLDER_URL } from '../../../functions/shared/placeholder-credentials.ts';
import { until } from '../../support/until.ts';
import { anError } from '../aws/aws-endpoint.ts';
import { aMailChannel, aSlackChannel } from '../../unit/consumers/notifier/channels.ts';
import { anEvent } from '../../unit/consumers/notifier/events.ts';
import { drainOf, fastClock, hand, startNotifierWorld, type NotifierWorld } from './notifier-world.ts';

let world: NotifierWorld;
let slackChannel: SlackChannel;
let mailChannel: EmailChannel;
let channels = 0;

beforeAll(async () => {
  world = await startNotifierWorld();
});
afterAll(() => world.close());

/** Channels of their own for each test: the table keeps what was told. */
beforeEach(() => {
  world.begin();
  channels += 1;
  const queue = (name: string) => ({ name, queueArn: `arn:${name}`, queueUrl: `${world.endpoint.url}/0/${name}` });
  slackChannel = aSlackChannel({ ...queue(`slack-${channels}`), secretId: `slack-${channels}` });
  mailChannel = aMailChannel({ ...queue(`mail-${channels}`) });
  world.setSecret(slackChannel.secretId, { url: world.slack.url });
});

const anEventOf = (id: string, name = 'Ada Lovelace') => anEvent({ id }, { data: { memberName: name, iban: 'GB00' } });
const someEvents = (count: number) => Array.from({ length: count }, () => anEventOf(randomUUID()));

describe('a batch of an immediate channel', () => {
  it('becomes one message of Slack', async () => {
    const kept = await hand(world.notifier([slackChannel]), slackChannel, someEvents(3));

    expect(kept).toEqual([]);
    expect(world.slack.posted).toMatchObject([{ json: { text: '3 changes: 3 × Member changed' } }]);
  });

  it('becomes one mail, whose parts say the same', async () => {
    await hand(world.notifier([mailChannel]), mailChannel, [anEventOf(randomUUID(), 'Ádám 张伟 😀')]);
    const mail = await world.readMail();

    expect(world.mails).toHaveLength(1);
    expect(world.mails[0]?.to).toEqual(['board@example.org']);
    expect(mail.subject).toBe('Member changed · ContactCreated');
    expect(mail.from).toMatchObject({ address: 'bridge@example.org' });
    expect(mail.text).toContain('Ádám 张伟 😀');
    expect(mail.html).toContain('Ádám 张伟 😀');
    expect(mail.messageId).toMatch(/^<mail-\d+\.[\da-f]{64}@example\.org>$/);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('says nothing of an entry but what is told', async () => {
    const notifier = world.notifier([slackChannel, mailChannel]);
    await hand(notifier, slackChannel, [anEventOf(randomUUID())]);
    await hand(notifier, mailChannel, [anEventOf(randomUUID())]);

    expect(world.slack.posted[0]?.text).not.toContain('GB00');
    expect(await world.readMail()).not.toMatchObject({ html: expect.stringContaining('GB00') });
  });

  it('keeps what is no event in the queue, and tells the rest', async () => {
    const kept = await hand(world.notifier([slackChannel]), slackChannel, ['{"a":', anEventOf(randomUUID())]);

    expect(kept).toEqual(['m0']);
    expect(world.postponed).toEqual([{ receipt: 'r0', seconds: 60 }]);
    expect(world.slack.posted).toHaveLength(1);
  });

  it.each([
    [1, 60],
    [2, 300],
    [4, 900],
    [11, 900],
  ])('that fails for time %i rests for %i seconds', async (receiveCount, seconds) => {
    world.slack.answerNext({ status: 500 });

    await hand(world.notifier([slackChannel]), slackChannel, someEvents(1), { receiveCount });

    expect(world.postponed).toEqual([{ receipt: 'r0', seconds }]);
  });

  it('fails without a word of the address (I5)', async () => {
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    world.slack.answerNext('reset');
    process.stdout.write = (line: string | Uint8Array) => lines.push(String(line)) > 0;

    await hand(world.notifier([slackChannel]), slackChannel, someEvents(1)).finally(() => {
      process.stdout.write = write;
    });

    expect(lines.join('')).not.toContain('secret-of-the-hook');
  });

  it('waits in the queue while the secret holds its placeholder', async () => {
    world.setSecret(slackChannel.secretId, { url: PLACEHOLDER_URL });

    const kept = await hand(world.notifier([slackChannel]), slackChannel, someEvents(2));

    expect(kept).toEqual(['m0', 'm1']);
    expect(world.postponed.every(({ seconds }) => seconds > 3_590)).toBe(true);
    expect(world.slack.posted).toEqual([]);
  });

  it('is not begun where too little time is left for it: it could be taken and told again', async () => {
    const kept = await hand(world.notifier([slackChannel]), slackChannel, someEvents(1), { remainingMs: 7_000 });

    expect(kept).toEqual(['m0']);
    expect(world.slack.posted).toEqual([]);
  });

  it('is not sent over http to another machine', async () => {
    world.setSecret(slackChannel.secretId, { url: 'http://hooks.example/services/x' });

    expect(await hand(world.notifier([slackChannel]), slackChannel, someEvents(1))).toEqual(['m0']);
  });
});

describe("a member's name that is markup", () => {
  it('reaches Slack as text of rich text and in no other place (D13)', async () => {
    const evil = '<!channel> <https://evil|Reset> & *b*';

    await hand(world.notifier([slackChannel]), slackChannel, [anEventOf(randomUUID(), evil)]);
    const [posted] = world.slack.posted;

    expect(posted?.text.match(/evil/g)).toHaveLength(1);
    expect(posted?.text).toContain(`{"type":"text","text":${JSON.stringify(evil)},"style":{"bold":true}}`);
    expect(posted?.json).toMatchObject({ text: 'Member changed', mrkdwn: false });
    expect(posted?.text).not.toContain('"type":"mrkdwn"');
  });
});

describe('an answer of Slack (D11)', () => {
  it('429: nobody sends before the time that Slack asked for, and then it is told once', async () => {
    const clock = fastClock(20);
    const events = someEvents(2);
    world.slack.answerNext({ status: 429, headers: { 'retry-after': '30' } });
    const notifier = world.notifier([slackChannel], clock);

    const kept = await hand(notifier, slackChannel, events);
    const wait = world.postponed[0]?.seconds ?? 0;
    const soon = await hand(world.notifier([slackChannel], clock), slackChannel, events);
    const postedMeanwhile = world.slack.posted.length;
    await clock.sleep(31_000);
    const later = await hand(notifier, slackChannel, events);

    expect(kept).toEqual(['m0', 'm1']);
    expect(wait).toBeGreaterThanOrEqual(29);
    expect(wait).toBeLessThanOrEqual(31);
    expect(soon).toEqual(['m0', 'm1']);
    expect(postedMeanwhile).toBe(1);
    expect(later).toEqual([]);
    expect(world.slack.posted).toHaveLength(2);
  });

  it.each([
    [1, 30],
    [2, 300],
    [4, 900],
  ])(
    '429 at receipt %i: it rests for %i seconds, so that an hour of them makes no dead letters',
    async (receiveCount, seconds) => {
      const clock = fastClock(1);
      world.slack.answerNext({ status: 429, headers: { 'retry-after': '30' } });

      await hand(world.notifier([slackChannel], clock), slackChannel, someEvents(1), { receiveCount });

      expect(world.postponed).toHaveLength(1);
      expect(Math.abs((world.postponed[0]?.seconds ?? 0) - seconds)).toBeLessThanOrEqual(1);
    },
  );

  it('429: whoever waited for a turn meanwhile does not send either', async () => {
    const clock = fastClock(10);
    const notifier = world.notifier([slackChannel], clock);
    world.slack.answerNext({ status: 429, headers: { 'retry-after': '60' } });

    const kept = await Promise.all([1, 2, 3].map(() => hand(notifier, slackChannel, someEvents(1))));

    expect(kept).toEqual([['m0'], ['m0'], ['m0']]);
    expect(world.slack.posted).toHaveLength(1);
  });

  it.each([403, 404, 410])('%i: the channel is off, and the others are told once', async (status) => {
    const notifier = world.notifier([slackChannel, mailChannel]);
    world.slack.answerNext({ status });

    const first = await hand(notifier, slackChannel, someEvents(1));
    const second = await hand(world.notifier([slackChannel, mailChannel]), slackChannel, someEvents(1));

    expect([first, second]).toEqual([['m0'], ['m0']]);
    expect(world.slack.posted).toHaveLength(1);
    expect(world.mails).toHaveLength(1);
    expect((await world.readMail()).text).toContain(
      `Slack refuses messages for the channel ${slackChannel.name} (${status})`,
    );
    expect(world.postponed.at(-1)?.seconds).toBeGreaterThan(3_590);
  });

  it('404: the channel opens again with another version of its secret, and nothing is lost', async () => {
    const events = someEvents(1);
    world.slack.answerNext({ status: 404 });
    await hand(world.notifier([slackChannel]), slackChannel, events);
    world.setSecret(slackChannel.secretId, { url: world.slack.url });

    const kept = await hand(world.notifier([slackChannel]), slackChannel, events);

    expect(kept).toEqual([]);
    expect(world.slack.posted).toHaveLength(2);
  });

  it.each(['invalid_payload', 'no_text', '<html>ok</html>'])('200 and %s: a failure, tried again', async (body) => {
    const events = someEvents(1);
    const clock = fastClock(10);
    world.slack.answerNext({ body });

    const kept = await hand(world.notifier([slackChannel], clock), slackChannel, events);
    const again = await hand(world.notifier([slackChannel], clock), slackChannel, events);

    expect([kept, again]).toEqual([['m0'], []]);
    expect(world.slack.posted).toHaveLength(2);
  });

  it('a redirect: a failure, and nobody is asked elsewhere', async () => {
    world.slack.answerNext({ status: 302, headers: { location: `${world.slack.url}/elsewhere` } });

    expect(await hand(world.notifier([slackChannel]), slackChannel, someEvents(1))).toEqual(['m0']);
    expect(world.slack.posted).toHaveLength(1);
  });
});

describe('many events (D12)', () => {
  it('are messages at least a second apart at Slack over all invocations, and not much more', async () => {
    const clock = fastClock(4);
    const events = someEvents(8);
    const invocations = [1, 2].map(async () => {
      const notifier = world.notifier([slackChannel], clock);
      for (let event = events.pop(); event !== undefined; event = events.pop())
        if ((await hand(notifier, slackChannel, [event], { remainingMs: 600_000 })).length > 0) events.push(event);
    });

    await Promise.all(invocations);

    const arrivals = world.slack.posted.map(({ at }) => at * 4);
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    expect(gaps).toHaveLength(7);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.min(...gaps)).toBeLessThan(1_500);
  });

  it('of a digest are one message, and all are deleted from the queue', async () => {
    world.enqueue(someEvents(300));

    const result = await drainOf(world.notifier([slackChannel]), slackChannel.name, 60_000);

    expect(result).toEqual({ channel: slackChannel.name, outcome: 'sent', messages: 300 });
    expect(world.slack.posted).toMatchObject([{ json: { text: '300 changes: 300 × Member changed' } }]);
    expect(new Set(world.deleted()).size).toBe(300);
  });
});

describe('a digest', () => {
  it('of an empty queue says nothing', async () => {
    expect(await drainOf(world.notifier([mailChannel]), mailChannel.name)).toMatchObject({ outcome: 'empty' });
    expect(world.mails).toEqual([]);
  });

  it('that cannot be told leaves all in the queue at once, and fails, so that it is tried again', async () => {
    world.enqueue(someEvents(12));
    world.slack.answerNext({ status: 500 });

    await expect(drainOf(world.notifier([slackChannel]), slackChannel.name)).rejects.toMatchObject({
      code: 'DeliveryFailed',
      details: { kept: 12 },
    });
    expect(world.deleted()).toEqual([]);
    expect(world.postponed).toHaveLength(12);
    expect(world.postponed.every(({ seconds }) => seconds === 0)).toBe(true);
  });

  it('takes nothing out of the queue of a channel that is shut', async () => {
    world.enqueue(someEvents(1));
    world.setSecret(slackChannel.secretId, { url: PLACEHOLDER_URL });

    expect(await drainOf(world.notifier([slackChannel]), slackChannel.name)).toMatchObject({ outcome: 'disabled' });
    expect(world.waiting).toHaveLength(1);
  });

  it('of a channel that there is none of is refused', async () => {
    await expect(drainOf(world.notifier([slackChannel]), 'attic')).rejects.toMatchObject({
      code: 'InvalidEnvironment',
    });
  });
});

describe('the same event twice (D15)', () => {
  it('in one batch is told once', async () => {
    const event = anEventOf(randomUUID());

    expect(await hand(world.notifier([slackChannel]), slackChannel, [event, event])).toEqual([]);
    expect(world.slack.posted).toMatchObject([{ json: { text: 'Member changed' } }]);
  });

  it('over invocations is told once, up to the end of the eighth day', async () => {
    const event = anEventOf(randomUUID());
    const start = Date.now();
    const on = (day: number) => ({ now: () => start + day * 86_400_000, sleep: async () => {}, random: () => 0 });

    await hand(world.notifier([slackChannel], on(0)), slackChannel, [event]);
    await hand(world.notifier([slackChannel], on(1)), slackChannel, [event]);
    const kept = await hand(world.notifier([slackChannel], on(7.99)), slackChannel, [event]);

    expect(kept).toEqual([]);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('at the same moment in two invocations is told by one of them', async () => {
    const events = someEvents(5);
    const clock = fastClock(10);

    const kept = await Promise.all([1, 2].map(() => hand(world.notifier([slackChannel], clock), slackChannel, events)));
    const sent = world.slack.posted.map(({ json }) => Number.parseInt((json as { text: string }).text, 10) || 1);

    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(kept.flat().length).toBeLessThanOrEqual(5);
  });

  it('is told to each channel', async () => {
    const event = anEventOf(randomUUID());
    const notifier = world.notifier([slackChannel, mailChannel]);

    await hand(notifier, slackChannel, [event]);
    await hand(notifier, mailChannel, [event]);

    expect([world.slack.posted.length, world.mails.length]).toEqual([1, 1]);
  });
});

describe('a process that dies', () => {
  it("after Slack's ok repeats the message once, with the same content", async () => {
    const clock = fastClock(20);
    const events = someEvents(3);
    // The claims stand, and what was told is not remembered: as if the process had ended right after the answer.
    world.interfere(({ operation }) => (operation === 'BatchWriteItem' ? anError('AccessDeniedException') : null));
    await hand(world.notifier([slackChannel], clock), slackChannel, events);
    world.interfere(() => null);
    const atOnce = await hand(world.notifier([slackChannel], clock), slackChannel, events);
    await clock.sleep(35_000);

    const later = await hand(world.notifier([slackChannel], clock), slackChannel, events);
    const last = await hand(world.notifier([slackChannel], clock), slackChannel, events);

    expect(atOnce).toEqual(['m0', 'm1', 'm2']);
    expect([later, last]).toEqual([[], []]);
    expect(world.slack.posted).toHaveLength(2);
    expect(world.slack.posted[1]?.text).toBe(world.slack.posted[0]?.text);
  });

  it('before it could tell leaves the events to the next', async () => {
    const events = someEvents(1);
    world.interfere(({ operation }) => (operation === 'PutItem' ? anError('AccessDeniedException') : null));
    const first = await hand(world.notifier([slackChannel]), slackChannel, events);
    world.interfere(() => null);

    expect(first).toEqual(['m0']);
    expect(await hand(world.notifier([slackChannel]), slackChannel, events)).toEqual([]);
    expect(world.slack.posted).toHaveLength(1);
  });

  it('a claim whose answer was lost is still our own (S45)', async () => {
    let lost = false;
    world.interfere(({ operation }) => {
      if (operation !== 'PutItem' || lost) return null;
      lost = true;
      return 'lost';
    });

    expect(await hand(world.notifier([slackChannel]), slackChannel, someEvents(1))).toEqual([]);
    expect(world.slack.posted).toHaveLength(1);
  });
});

describe('what is old (D16)', () => {
  it.each([
    ['a replay of the archive', anEvent({ id: 'replayed' }, { replay: 'again' })],
    ['a backfill', anEvent({ id: 'backfilled', backfillId: 'start' })],
  ])('%s is taken out of the queue and told to nobody', async (_what, event) => {
    const notifier = world.notifier([slackChannel, mailChannel]);

    const kept = [await hand(notifier, slackChannel, [event]), await hand(notifier, mailChannel, [event])];

    expect(kept).toEqual([[], []]);
    expect([world.slack.posted, world.mails]).toEqual([[], []]);
  });
});

describe('a channel that fails', () => {
  it('shares nothing with the others', async () => {
    const notifier = world.notifier([slackChannel, mailChannel]);
    world.slack.answerNext('hang');
    const slack = hand(notifier, slackChannel, someEvents(1));

    const mail = await hand(notifier, mailChannel, someEvents(1));
    await until(() => world.slack.posted.length === 1);
    world.slack.breakHanging();

    expect([await slack, mail]).toEqual([['m0'], []]);
    expect(world.mails).toHaveLength(1);
  });
});
