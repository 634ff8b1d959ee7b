import { beforeEach, describe, expect, it } from 'vitest';
import type { Channel } from '../../../../functions/consumers/notifier/channels/channel.ts';
import type { Delivery } from '../../../../functions/consumers/notifier/deliver.ts';
import { drain } from '../../../../functions/consumers/notifier/drain.ts';
import type { Message, MessageQueue } from '../../../../functions/consumers/notifier/ports.ts';
import { BridgeError } from '../../../../functions/shared/errors.ts';
import { anEvent, idOf } from './events.ts';

const NOW = Date.UTC(2026, 10, 21, 7);
const UNAVAILABLE = new BridgeError('StateUnavailable', 'no', { retryable: true });

let now: number;
let waiting: Message[];
let sent: number[];
let deleted: string[];
let postponed: string[];

beforeEach(() => {
  now = NOW;
  sent = [];
  deleted = [];
  postponed = [];
});

function wait(count: number, body = (id: string) => JSON.stringify(anEvent({ id: idOf(id) }))): void {
  waiting = Array.from({ length: count }, (_, index) => {
    const id = `m${index}`;
    return { id, receipt: `r${index}`, body: body(id), receiveCount: 1 };
  });
}

/** A queue whose calls take `receiveMs`. */
function aQueue({ receiveMs = 1, ...failing }: Partial<MessageQueue> & { receiveMs?: number } = {}): MessageQueue {
  return {
    async receive() {
      now += receiveMs;
      return waiting.splice(0, 10);
    },
    delete: async (messages) => void deleted.push(...messages.map(({ id }) => id)),
    postpone: async (waits) => void postponed.push(...waits.map(({ message }) => message.id)),
    ...failing,
  };
}

function aDelivery(send: Channel['send'] = async () => ({ kind: 'sent', answer: 'ok' })): Delivery {
  const channel: Channel = {
    name: 'board',
    service: 'Slack',
    check: async () => null,
    async send(changes, deadlineAt) {
      sent.push(changes.length);
      return await send(changes, deadlineAt);
    },
  };
  const store = {
    claim: async (_channel: string, ids: readonly string[]) => ({ claimed: [...ids], sent: [], held: [] }),
    complete: async () => {},
    release: async () => {},
  };
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const clock = { now: () => now, sleep: async () => {}, random: () => 0 };
  return { channel, reading: {}, others: [], store, clock, log, owner: 'one', deadlineAt: NOW + 57_000 };
}

describe('a digest', () => {
  it('of everything in the queue is one message', async () => {
    wait(200);

    expect(await drain(aQueue(), aDelivery())).toEqual({ channel: 'board', outcome: 'sent', messages: 200 });
    expect(sent).toEqual([200]);
    expect(deleted).toHaveLength(200);
  });

  it('of more than fits into memory is several messages', async () => {
    wait(10_100);

    expect(await drain(aQueue(), aDelivery())).toMatchObject({ outcome: 'sent', messages: 10_100 });
    expect(sent).toEqual([10_000, 100]);
  });

  it('of more than a run can send fails after a part, so that Lambda retries', async () => {
    wait(1_000);

    await expect(drain(aQueue({ receiveMs: 500 }), aDelivery())).rejects.toMatchObject({
      code: 'DeliveryFailed',
      retryable: true,
      details: { sent: 640 },
    });
    expect(sent).toEqual([640]);
    expect(deleted).toHaveLength(640);
    expect(waiting).toHaveLength(360);
  });

  it('sends what it received even if another call to the queue failed, and then receives again', async () => {
    wait(30);
    let calls = 0;
    const whole = aQueue();
    const queue = aQueue({
      receive: async () => {
        calls += 1;
        if (calls === 2) throw UNAVAILABLE;
        return await whole.receive();
      },
    });

    expect(await drain(queue, aDelivery())).toMatchObject({ outcome: 'sent', messages: 30 });
    expect(deleted).toHaveLength(30);
  });

  it('fails when the queue does not answer', async () => {
    const receive = async () => {
      throw UNAVAILABLE;
    };

    await expect(drain(aQueue({ receive }), aDelivery())).rejects.toBe(UNAVAILABLE);
    expect(sent).toEqual([]);
  });

  it('makes unreadable messages visible again even if the others could not be deleted', async () => {
    wait(3, (id) => (id === 'm1' ? '{' : JSON.stringify(anEvent({ id: idOf(id) }))));
    const failing = async () => {
      throw UNAVAILABLE;
    };

    await expect(drain(aQueue({ delete: failing }), aDelivery())).rejects.toMatchObject({ details: { kept: 1 } });
    expect(postponed).toEqual(['m1']);
  });

  it('fails if sent messages could not be deleted, so that the retry deletes them', async () => {
    wait(3);
    const failing = async () => {
      throw UNAVAILABLE;
    };

    await expect(drain(aQueue({ delete: failing }), aDelivery())).rejects.toBe(UNAVAILABLE);
  });
});
