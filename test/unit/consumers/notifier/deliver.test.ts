import { beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Outcome } from '../../../../functions/consumers/notifier/channels/channel.ts';
import type { Change } from '../../../../functions/consumers/notifier/what-to-say/change.ts';
import { deliver, type Delivery } from '../../../../functions/consumers/notifier/deliver.ts';
import type { Message, SentStore } from '../../../../functions/consumers/notifier/ports.ts';
import { BridgeError } from '../../../../functions/shared/errors.ts';
import { anEvent, idOf } from './events.ts';

const NOW = Date.UTC(2026, 10, 21, 7);
const REFUSED = { kind: 'refused', versionId: 'v1', status: 404 } as const;

let lines: { level: string; message: string; fields: Record<string, unknown> }[];
let sent: Record<string, Change[][]>;
let kept: Map<string, 'claimed' | 'sent'>;

beforeEach(() => {
  lines = [];
  sent = {};
  kept = new Map();
});

function aChannel(name: string, outcome: Outcome | Error = { kind: 'sent', answer: 'ok' }): Channel {
  return {
    name,
    service: 'Slack',
    check: async () => null,
    async send(changes) {
      sent[name] = [...(sent[name] ?? []), [...changes]];
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
}

function aStore(failing: Partial<SentStore> = {}): SentStore {
  const set = (channel: string, ids: readonly string[], state: 'claimed' | 'sent'): void =>
    ids.forEach((id) => kept.set(`${channel} ${id}`, state));
  return {
    async claim(channel, ids) {
      const which = (state: string | undefined) => ids.filter((id) => kept.get(`${channel} ${id}`) === state);
      const claims = { claimed: which(undefined), sent: which('sent'), held: which('claimed') };
      set(channel, claims.claimed, 'claimed');
      return claims;
    },
    complete: async (channel, ids) => set(channel, ids, 'sent'),
    release: async (channel, ids) => ids.forEach((id) => kept.delete(`${channel} ${id}`)),
    ...failing,
  };
}

function aDelivery(changes: Partial<Delivery> = {}): Delivery {
  const log =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, fields });
    };
  return {
    channel: aChannel('slack'),
    reading: {},
    others: [],
    store: aStore(),
    clock: { now: () => NOW, sleep: async () => {}, random: () => 0 },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    owner: 'one',
    deadlineAt: NOW + 30_000,
    ...changes,
  };
}

const messages = (...ids: string[]): Message[] =>
  ids.map((id, index) => ({
    id: `m${index}`,
    receipt: `r${index}`,
    body: JSON.stringify(anEvent({ id: idOf(id) })),
    receiveCount: 1,
  }));

const DONE = { kind: 'done' };
const RETRY = { kind: 'keep', until: null };

describe('messages of a queue', () => {
  it('are sent in one message, each event once, and are done', async () => {
    expect(await deliver(messages('a', 'b', 'a'), aDelivery())).toEqual([DONE, DONE, DONE]);
    expect(sent['slack']?.map((changes) => changes.map(({ id }) => id))).toEqual([[idOf('a'), idOf('b')]]);
  });

  it('that are neither sent nor claimed are sent', async () => {
    kept = new Map([
      [`slack ${idOf('a')}`, 'sent'],
      [`slack ${idOf('b')}`, 'claimed'],
    ]);

    const dispositions = await deliver(messages('a', 'b', 'c'), aDelivery());

    expect(dispositions).toEqual([DONE, { kind: 'keep', until: NOW + 35_000 }, DONE]);
    expect(sent['slack']?.flat().map(({ id }) => id)).toEqual([idOf('c')]);
  });

  it('with an action key that the channel does not ask for are done, and not sent', async () => {
    const delivery = aDelivery({ reading: { actionKeys: ['!*Created'] } });

    expect(await deliver(messages('a'), delivery)).toEqual([DONE]);
    expect(sent).toEqual({});
  });

  it('that could not be sent are released and retried', async () => {
    const failure = new BridgeError('DeliveryFailed', 'no', { retryable: true, details: { status: 500 } });

    const dispositions = await deliver(messages('a'), aDelivery({ channel: aChannel('slack', failure) }));

    expect(dispositions).toEqual([RETRY]);
    expect(kept).toEqual(new Map());
    expect(lines).toMatchObject([{ level: 'warn', fields: { code: 'DeliveryFailed', status: 500 } }]);
  });

  it('are done after sending, even if that cannot be remembered', async () => {
    const complete = async () => {
      throw new BridgeError('StateUnavailable', 'no', { retryable: true });
    };

    expect(await deliver(messages('a'), aDelivery({ store: aStore({ complete }) }))).toEqual([DONE]);
    expect(lines[0]).toMatchObject({ level: 'warn', message: 'Sent changes could not be remembered.' });
  });

  it('keep their disposition if they cannot be released', async () => {
    const release = async () => {
      throw new BridgeError('StateUnavailable', 'no', { retryable: true });
    };
    const channel = aChannel('slack', { kind: 'later', at: NOW + 9_000 });

    expect(await deliver(messages('a'), aDelivery({ channel, store: aStore({ release }) }))).toEqual([
      { kind: 'keep', until: NOW + 9_000 },
    ]);
  });

  it('that fail by a defect are an error in the log, with nothing but its name', async () => {
    await deliver(messages('a'), aDelivery({ channel: aChannel('slack', new TypeError('Ada Lovelace')) }));

    expect(lines).toMatchObject([{ level: 'error', fields: { code: 'Unexpected', error: 'TypeError' } }]);
    expect(JSON.stringify(lines)).not.toContain('Ada');
  });
});

describe('a disabled channel', () => {
  const off = (others: Channel[]) => aDelivery({ channel: aChannel('slack', REFUSED), others });

  it('is checked again after an hour, and all others report it once', async () => {
    const delivery = off([aChannel('mail'), aChannel('other')]);

    const dispositions = [await deliver(messages('a'), delivery), await deliver(messages('a'), delivery)];

    expect(dispositions).toEqual([
      [{ kind: 'keep', until: NOW + 3_600_000 }],
      [{ kind: 'keep', until: NOW + 3_600_000 }],
    ]);
    expect([sent['mail']?.length, sent['other']?.length]).toEqual([1, 1]);
    expect(sent['mail']?.[0]?.[0]?.what).toContain('(slack: Slack, 404)');
  });

  it('is reported later if another channel could not report it', async () => {
    const failure = new BridgeError('DeliveryFailed', 'no', { retryable: true });
    await deliver(messages('a'), off([aChannel('mail', failure), aChannel('other')]));

    await deliver(messages('a'), off([aChannel('mail'), aChannel('other')]));

    expect([sent['mail']?.length, sent['other']?.length]).toEqual([2, 1]);
  });

  it('does not make two disabled channels report each other forever', async () => {
    await deliver(messages('a'), off([aChannel('other', REFUSED)]));

    expect(sent['slack']).toHaveLength(1);
    expect(sent['other']).toHaveLength(1);
  });
});
