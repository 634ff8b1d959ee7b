import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelsByKind } from '../../../functions/consumers/notifier/config.ts';
import { PLACEHOLDER_URL } from '../../../functions/shared/placeholder-credentials.ts';
import { until } from '../../support/until.ts';
import { anError } from '../aws/aws-endpoint.ts';
import { aMailChannel } from '../../unit/consumers/notifier/channels.ts';
import { anEvent } from '../../unit/consumers/notifier/events.ts';
import { type Webhook, WEBHOOKS } from '../../unit/consumers/notifier/webhooks.ts';
import { drainOf, fastClock, invoke, startNotifierWorld, testOf, type NotifierWorld } from './notifier-world.ts';

let world: NotifierWorld;
let channels = 0;

beforeAll(async () => {
  world = await startNotifierWorld();
});
afterAll(() => world.close());

let channel: ReturnType<Webhook['aChannel']>;
let mailChannel: ChannelsByKind['email'];
/** New channels for each test: the table remembers sent events. */
function begin({ accepts, aChannel }: Webhook): void {
  world.begin(accepts);
  channels += 1;
  const queue = (name: string) => ({ name, queueArn: `arn:${name}`, queueUrl: `${world.endpoint.url}/0/${name}` });
  channel = aChannel({ ...queue(`chat-${channels}`), secretId: `chat-${channels}` });
  mailChannel = aMailChannel({ ...queue(`mail-${channels}`) });
  world.setSecret(channel.secretId, { url: world.webhook.url });
}

const anEventOf = (id: string, name = 'Ada Lovelace') => anEvent({ id }, { data: { memberName: name, iban: 'GB00' } });
const someEvents = (count: number) => Array.from({ length: count }, () => anEventOf(randomUUID()));

describe.each(WEBHOOKS)('a channel of $service.name', (webhook) => {
  const { service, accepts, fails, refusals, headingOf } = webhook;
  beforeEach(() => begin(webhook));
  const headings = (): string[] => world.webhook.posted.map(({ json }) => headingOf(json));

  describe('a batch of an immediate channel', () => {
    it('becomes one message', async () => {
      const kept = await invoke(world.notifier([channel]), channel, someEvents(3));

      expect(kept).toEqual([]);
      expect(headings()).toEqual(['3 changes: 3 new members']);
    });

    it('becomes one mail with the same content as text and HTML', async () => {
      await invoke(world.notifier([mailChannel]), mailChannel, [anEventOf(randomUUID(), 'Ádám 张伟 😀')]);
      const mail = await world.readMail();

      expect(world.mails).toHaveLength(1);
      expect(world.mails[0]?.to).toEqual(['board@example.org']);
      expect(mail.subject).toBe('A member joined');
      expect(mail.from).toMatchObject({ address: 'bridge@example.org' });
      expect(mail.text).toContain('Ádám 张伟 😀');
      expect(mail.html).toContain('Ádám 张伟 😀');
      expect(mail.messageId).toMatch(/^<mail-\d+\.[\da-f]{64}@example\.org>$/);
      // SES replaces the Message-ID, and keeps the reference.
      expect(mail.references).toBe(mail.messageId);
      expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
    });

    it('shows no other fields of an entry', async () => {
      const notifier = world.notifier([channel, mailChannel]);
      await invoke(notifier, channel, [anEventOf(randomUUID())]);
      await invoke(notifier, mailChannel, [anEventOf(randomUUID())]);

      expect(world.webhook.posted[0]?.text).not.toContain('GB00');
      expect(await world.readMail()).not.toMatchObject({ html: expect.stringContaining('GB00') });
    });

    it('sends the rest if an id is longer than a key of the table', async () => {
      const events = [anEventOf(randomUUID()), anEventOf('x'.repeat(3_000)), anEventOf(randomUUID())];

      const kept = await invoke(world.notifier([channel]), channel, events);

      expect(kept).toEqual(['m1']);
      expect(headings()).toEqual(['2 changes: 2 new members']);
    });

    it('keeps a message without an event in the queue, and sends the rest', async () => {
      const kept = await invoke(world.notifier([channel]), channel, ['{"a":', anEventOf(randomUUID())]);

      expect(kept).toEqual(['m0']);
      expect(world.postponed).toEqual([{ receipt: 'r0', seconds: 60 }]);
      expect(world.webhook.posted).toHaveLength(1);
    });

    it.each([
      [1, 60],
      [2, 300],
      [4, 900],
      [11, 900],
    ])('waits after failure %i for %i seconds', async (receiveCount, seconds) => {
      world.webhook.answerNext({ status: 500 });

      await invoke(world.notifier([channel]), channel, someEvents(1), { receiveCount });

      expect(world.postponed).toEqual([{ receipt: 'r0', seconds }]);
    });

    it('does not log the address of the webhook (I5)', async () => {
      const lines: string[] = [];
      const write = process.stdout.write.bind(process.stdout);
      world.webhook.answerNext('reset');
      process.stdout.write = (line: string | Uint8Array) => lines.push(String(line)) > 0;

      await invoke(world.notifier([channel]), channel, someEvents(1)).finally(() => {
        process.stdout.write = write;
      });

      expect(lines.join('')).not.toContain('secret-of-the-hook');
    });

    it('waits in the queue while the secret holds its placeholder', async () => {
      world.setSecret(channel.secretId, { url: PLACEHOLDER_URL });

      const kept = await invoke(world.notifier([channel]), channel, someEvents(2));

      expect(kept).toEqual(['m0', 'm1']);
      expect(world.postponed.every(({ seconds }) => seconds > 3_590)).toBe(true);
      expect(world.webhook.posted).toEqual([]);
    });

    it('is not sent when too little time is left, because it could be sent twice', async () => {
      const kept = await invoke(world.notifier([channel]), channel, someEvents(1), { remainingMs: 7_000 });

      expect(kept).toEqual(['m0']);
      expect(world.webhook.posted).toEqual([]);
    });

    it('is not sent over http to another machine', async () => {
      world.setSecret(channel.secretId, { url: 'http://hooks.example/services/x' });

      expect(await invoke(world.notifier([channel]), channel, someEvents(1))).toEqual(['m0']);
    });
  });

  describe("a member's name with markup", () => {
    it('reaches the service only as the whole text of one text element (D13, D30)', async () => {
      const evil = '<!channel> <at>all</at> [Reset](https://evil) <https://evil|Reset> & *b*';

      await invoke(world.notifier([channel]), channel, [anEventOf(randomUUID(), evil)]);
      const [posted] = world.webhook.posted;

      expect(posted?.text.match(/evil\|/g)).toHaveLength(1);
      expect(posted?.text).toMatch(/"type":"(?:text|TextRun)","text":"<!channel> <at>all/);
      expect(posted?.text).toContain(`"text":${JSON.stringify(evil)},`);
      expect(posted?.text).not.toMatch(/"type":"(?:mrkdwn|TextBlock|FactSet)"/);
    });
  });

  describe('an answer of the service (D11, D30)', () => {
    it('429: nobody sends before the requested time, and then the batch is sent once', async () => {
      const clock = fastClock(8);
      const events = someEvents(2);
      world.webhook.answerNext({ status: 429, headers: { 'retry-after': '30' } });
      const notifier = world.notifier([channel], clock);

      const from = clock.now();
      const kept = await invoke(notifier, channel, events);
      const takenSeconds = (clock.now() - from) / 1_000;
      const wait = world.postponed[0]?.seconds ?? 0;
      const soon = await invoke(world.notifier([channel], clock), channel, events);
      const postedEarly = world.webhook.posted.length;
      await clock.sleep(31_000);
      const later = await invoke(notifier, channel, events);

      expect(kept).toEqual(['m0', 'm1']);
      expect(wait).toBeGreaterThanOrEqual(30 - takenSeconds);
      expect(wait).toBeLessThanOrEqual(31);
      expect(soon).toEqual(['m0', 'm1']);
      expect(postedEarly).toBe(1);
      expect(later).toEqual([]);
      expect(world.webhook.posted).toHaveLength(2);
    });

    it.each([
      [1, 30],
      [2, 300],
      [4, 900],
    ])(
      '429 at receipt %i: the batch waits for %i seconds, so that an hour of them makes no dead letters',
      async (receiveCount, seconds) => {
        const clock = fastClock(1);
        world.webhook.answerNext({ status: 429, headers: { 'retry-after': '30' } });

        await invoke(world.notifier([channel], clock), channel, someEvents(1), { receiveCount });

        expect(world.postponed).toHaveLength(1);
        expect(Math.abs((world.postponed[0]?.seconds ?? 0) - seconds)).toBeLessThanOrEqual(1);
      },
    );

    it('429: invocations that waited for the turn do not send either', async () => {
      const clock = fastClock(10);
      const notifier = world.notifier([channel], clock);
      world.webhook.answerNext({ status: 429, headers: { 'retry-after': '60' } });

      const kept = await Promise.all([1, 2, 3].map(() => invoke(notifier, channel, someEvents(1))));

      expect(kept).toEqual([['m0'], ['m0'], ['m0']]);
      expect(world.webhook.posted).toHaveLength(1);
    });

    it.each(refusals)('$status $body: the channel is disabled, and the others report it once', async (refusal) => {
      const notifier = world.notifier([channel, mailChannel]);
      world.webhook.answerNext(refusal);

      const first = await invoke(notifier, channel, someEvents(1));
      const second = await invoke(world.notifier([channel, mailChannel]), channel, someEvents(1));

      expect([first, second]).toEqual([['m0'], ['m0']]);
      expect(world.webhook.posted).toHaveLength(1);
      expect(world.mails).toHaveLength(1);
      expect((await world.readMail()).text).toContain(`(${channel.name}: ${service.name}, ${refusal.status})`);
      expect(world.postponed.at(-1)?.seconds).toBeGreaterThan(3_590);
    });

    it('a refusal: a new version of the secret enables the channel again, and nothing is lost', async () => {
      const events = someEvents(1);
      world.webhook.answerNext(refusals[0]!);
      await invoke(world.notifier([channel]), channel, events);
      world.setSecret(channel.secretId, { url: world.webhook.url });

      const kept = await invoke(world.notifier([channel]), channel, events);

      expect(kept).toEqual([]);
      expect(world.webhook.posted).toHaveLength(2);
    });

    it('an error: a failure that is retried', async () => {
      const events = someEvents(1);
      const clock = fastClock(10);
      world.webhook.answerNext(fails);

      const kept = await invoke(world.notifier([channel], clock), channel, events);
      const again = await invoke(world.notifier([channel], clock), channel, events);

      expect([kept, again]).toEqual([['m0'], []]);
      expect(world.webhook.posted).toHaveLength(2);
    });
  });

  describe('a test', () => {
    const test = async (name: string, channels = [channel, mailChannel]) =>
      await testOf(world.notifier(channels), name);

    it('sends a sample as the messages of the channel, and says what the service answered', async () => {
      const result = await test(channel.name);
      const [posted] = world.webhook.posted;

      expect(result).toEqual({
        outcome: 'sent',
        service: service.name,
        answer: `${accepts.status} ${accepts.body}`.trim(),
      });
      expect(posted?.text).toContain('This is a test: ');
      expect(posted?.text).toContain('Ada Lovelace');
    });

    it('sends a mail, and says under which id SES has it', async () => {
      const result = await test(mailChannel.name);

      expect(result).toEqual({
        outcome: 'sent',
        service: 'SES',
        answer: expect.stringMatching(/^accepted as [\da-f-]{36}$/),
      });
      expect((await world.readMail()).text).toContain('Ada Lovelace');
    });

    it('is sent each time, and no message later is taken for it', async () => {
      const clock = fastClock(20);
      const notifier = world.notifier([channel], clock);

      const results = [await testOf(notifier, channel.name), await testOf(notifier, channel.name)];

      expect(results).toMatchObject([{ outcome: 'sent' }, { outcome: 'sent' }]);
      expect(world.endpoint.calls.filter(({ operation }) => operation === 'BatchWriteItem')).toEqual([]);
    });

    it.each(refusals)(
      '$status $body: says that the address is refused, and the channel is disabled',
      async (refusal) => {
        world.webhook.answerNext(refusal);

        const results = [await test(channel.name), await test(channel.name)];

        const refused = { outcome: 'refused', service: service.name, status: refusal.status };
        expect(results).toEqual([refused, refused]);
        expect(world.webhook.posted).toHaveLength(1);
      },
    );

    it('says why the service did not take it, and not where it was sent', async () => {
      world.webhook.answerNext(fails);

      const result = await test(channel.name);

      expect(result).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(fails.reason) });
      expect(JSON.stringify(result)).not.toContain('secret-of-the-hook');
    });

    it('says until when the service asks to wait', async () => {
      world.webhook.answerNext({ status: 429, headers: { 'retry-after': '60' } });

      expect(await test(channel.name)).toMatchObject({ outcome: 'later', at: expect.any(Number) });
    });

    it('says that the secret has no address yet', async () => {
      world.setSecret(channel.secretId, { url: PLACEHOLDER_URL });

      expect(await test(channel.name)).toEqual({ outcome: 'not-set', service: service.name });
    });

    it('of an unknown channel lists those that there are', async () => {
      expect(await test('attic')).toEqual({ outcome: 'unknown', channels: [channel.name, mailChannel.name] });
    });
  });
});

// What is the same whatever service answers.
describe.each(WEBHOOKS.slice(0, 1))('a channel of $service.name', (webhook) => {
  const { headingOf } = webhook;
  beforeEach(() => begin(webhook));
  const headings = (): string[] => world.webhook.posted.map(({ json }) => headingOf(json));

  describe('many events (D12)', () => {
    it('are messages at least a second apart over all invocations, and not much more', async () => {
      const clock = fastClock(4);
      const events = someEvents(8);
      const invocations = [1, 2].map(async () => {
        const notifier = world.notifier([channel], clock);
        for (let event = events.pop(); event !== undefined; event = events.pop())
          if ((await invoke(notifier, channel, [event], { remainingMs: 600_000 })).length > 0) events.push(event);
      });

      await Promise.all(invocations);

      const arrivals = world.webhook.posted.map(({ at }) => at * 4);
      const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
      expect(gaps).toHaveLength(7);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
      expect(Math.min(...gaps)).toBeLessThan(1_500);
    });

    it('of a digest are one message, and all are deleted from the queue', async () => {
      world.enqueue(someEvents(100));

      const result = await drainOf(world.notifier([channel]), channel.name, 60_000);

      expect(result).toEqual({ channel: channel.name, outcome: 'sent', messages: 100 });
      expect(headings()).toEqual(['100 changes: 100 new members']);
      expect(new Set(world.deleted()).size).toBe(100);
    });
  });

  describe('a digest', () => {
    it('of an empty queue sends nothing', async () => {
      expect(await drainOf(world.notifier([mailChannel]), mailChannel.name)).toMatchObject({ outcome: 'empty' });
      expect(world.mails).toEqual([]);
    });

    it('that cannot be sent fails and makes all messages visible again, so that Lambda retries', async () => {
      world.enqueue(someEvents(12));
      world.webhook.answerNext({ status: 500 });

      await expect(drainOf(world.notifier([channel]), channel.name)).rejects.toMatchObject({
        code: 'DeliveryFailed',
        details: { kept: 12 },
      });
      expect(world.deleted()).toEqual([]);
      expect(world.postponed).toHaveLength(12);
      expect(world.postponed.every(({ seconds }) => seconds === 0)).toBe(true);
    });

    it('receives nothing for a disabled channel', async () => {
      world.enqueue(someEvents(1));
      world.setSecret(channel.secretId, { url: PLACEHOLDER_URL });

      expect(await drainOf(world.notifier([channel]), channel.name)).toMatchObject({ outcome: 'disabled' });
      expect(world.waiting).toHaveLength(1);
    });

    it('of an unknown channel is refused', async () => {
      await expect(drainOf(world.notifier([channel]), 'attic')).rejects.toMatchObject({
        code: 'InvalidEnvironment',
      });
    });
  });

  describe('the same event twice (D15)', () => {
    it('is sent once over invocations, until the end of the eighth day', async () => {
      const event = anEventOf(randomUUID());
      const start = Date.now();
      const on = (day: number) => ({ now: () => start + day * 86_400_000, sleep: async () => {}, random: () => 0 });

      await invoke(world.notifier([channel], on(0)), channel, [event]);
      await invoke(world.notifier([channel], on(1)), channel, [event]);
      const kept = await invoke(world.notifier([channel], on(7.99)), channel, [event]);

      expect(kept).toEqual([]);
      expect(world.webhook.posted).toHaveLength(1);
    });

    it('in two concurrent invocations is sent by one of them', async () => {
      const events = someEvents(5);
      const clock = fastClock(10);

      const kept = await Promise.all([1, 2].map(() => invoke(world.notifier([channel], clock), channel, events)));
      const sent = world.webhook.posted.map(({ json }) => Number.parseInt(headingOf(json), 10) || 1);

      expect(sent.reduce((sum, count) => sum + count, 0)).toBe(5);
      expect(kept.flat().length).toBeLessThanOrEqual(5);
    });

    it('is sent to each channel', async () => {
      const event = anEventOf(randomUUID());
      const notifier = world.notifier([channel, mailChannel]);

      await invoke(notifier, channel, [event]);
      await invoke(notifier, mailChannel, [event]);

      expect([world.webhook.posted.length, world.mails.length]).toEqual([1, 1]);
    });
  });

  describe('a process that dies', () => {
    it("after the service's answer sends the message once more, with the same content", async () => {
      const clock = fastClock(20);
      const events = someEvents(3);
      // The claims remain and the sent events are not remembered, as if the process had died after the answer.
      world.interfere(({ operation }) => (operation === 'BatchWriteItem' ? anError('AccessDeniedException') : null));
      await invoke(world.notifier([channel], clock), channel, events);
      world.interfere(() => null);
      const early = await invoke(world.notifier([channel], clock), channel, events);
      await clock.sleep(35_000);

      const later = await invoke(world.notifier([channel], clock), channel, events);
      const last = await invoke(world.notifier([channel], clock), channel, events);

      expect(early).toEqual(['m0', 'm1', 'm2']);
      expect([later, last]).toEqual([[], []]);
      expect(world.webhook.posted).toHaveLength(2);
      expect(world.webhook.posted[1]?.text).toBe(world.webhook.posted[0]?.text);
    });

    it('before sending leaves the events to the next one', async () => {
      const events = someEvents(1);
      world.interfere(({ operation }) => (operation === 'PutItem' ? anError('AccessDeniedException') : null));
      const first = await invoke(world.notifier([channel]), channel, events);
      world.interfere(() => null);

      expect(first).toEqual(['m0']);
      expect(await invoke(world.notifier([channel]), channel, events)).toEqual([]);
      expect(world.webhook.posted).toHaveLength(1);
    });

    it('keeps a claim whose answer was lost', async () => {
      let lost = false;
      world.interfere(({ operation }) => {
        if (operation !== 'PutItem' || lost) return null;
        lost = true;
        return 'lost';
      });

      expect(await invoke(world.notifier([channel]), channel, someEvents(1))).toEqual([]);
      expect(world.webhook.posted).toHaveLength(1);
    });
  });

  describe('a historical event (D16)', () => {
    it.each([
      ['a replay of the archive', anEvent({ id: randomUUID() }, { replay: 'again' })],
      ['a backfill', anEvent({ id: randomUUID(), backfillId: 'start' })],
    ])('%s is deleted from the queue and not sent', async (_what, event) => {
      const notifier = world.notifier([channel, mailChannel]);

      const kept = [await invoke(notifier, channel, [event]), await invoke(notifier, mailChannel, [event])];

      expect(kept).toEqual([[], []]);
      expect([world.webhook.posted, world.mails]).toEqual([[], []]);
    });
  });

  describe('a channel that fails', () => {
    it('does not delay the others', async () => {
      const notifier = world.notifier([channel, mailChannel]);
      world.webhook.answerNext('hang');
      const slack = invoke(notifier, channel, someEvents(1));

      const mail = await invoke(notifier, mailChannel, someEvents(1));
      await until(() => world.webhook.posted.length === 1);
      world.webhook.breakHanging();

      expect([await slack, mail]).toEqual([['m0'], []]);
      expect(world.mails).toHaveLength(1);
    });
  });
});
