// The ports of the notifier in memory, with the behaviour of DynamoDB and SQS.
import type {
  DisabledChannels,
  Message,
  MessageQueue,
  Pace,
  SentStore,
} from '../../../../functions/consumers/notifier/ports.ts';
import type { Clock } from '../../../../functions/shared/clock.ts';

/** As in the template. */
const MAX_RECEIPTS = 12;

export function createMemoryStore(clock: Clock): SentStore {
  const kept = new Map<string, { owner: string; until: number } | 'sent'>();
  return {
    async claim(channel, ids, claim) {
      const verdictOf = (id: string) => {
        const item = kept.get(`${channel} ${id}`);
        if (item === 'sent') return 'sent';
        return item === undefined || item.until <= clock.now() || item.owner === claim.owner ? 'claimed' : 'held';
      };
      const verdicts = Map.groupBy(ids, verdictOf);
      for (const id of verdicts.get('claimed') ?? []) kept.set(`${channel} ${id}`, claim);
      const which = (verdict: 'claimed' | 'sent' | 'held') => verdicts.get(verdict) ?? [];
      return { claimed: which('claimed'), sent: which('sent'), held: which('held') };
    },
    complete: async (channel, ids) => ids.forEach((id) => kept.set(`${channel} ${id}`, 'sent')),
    release: async (channel, ids) => ids.forEach((id) => kept.delete(`${channel} ${id}`)),
  };
}

export function createMemoryPace(clock: Clock): Pace {
  const turns = new Map<string, { owner: string; nextAt: number }>();
  return {
    async acquire(channel, { owner, until }) {
      const turn = turns.get(channel);
      if (turn !== undefined && turn.nextAt > clock.now() && turn.owner !== owner)
        return { isAcquired: false, at: turn.nextAt };
      turns.set(channel, { owner, nextAt: until });
      return { isAcquired: true };
    },
    async release(channel, turn) {
      if (turns.get(channel)?.owner === turn.owner) turns.set(channel, turn);
    },
  };
}

export function createMemoryDisabled(): DisabledChannels {
  const refused = new Map<string, { versionId: string; status: number }>();
  return {
    read: async (channel) => refused.get(channel) ?? null,
    disable: async (channel, by) => void refused.set(channel, by),
  };
}

type Waiting = Message & { visibleAt: number };

/** A queue like SQS: messages that are not deleted come back, and become dead letters after MAX_RECEIPTS. */
export function createMemoryQueue(clock: Clock, { visibilityMs }: { visibilityMs: number }) {
  const waiting = new Map<string, Waiting>();
  const dead: string[] = [];
  const take = (max: number): Message[] => {
    const visible = [...waiting.values()].filter(({ visibleAt }) => visibleAt <= clock.now());
    for (const { id } of visible.filter(({ receiveCount }) => receiveCount >= MAX_RECEIPTS)) {
      waiting.delete(id);
      dead.push(id);
    }
    const taken = visible.filter(({ id }) => waiting.has(id)).slice(0, max);
    return taken.map((message) => {
      const { receiveCount } = message;
      const received = { ...message, receiveCount: receiveCount + 1, visibleAt: clock.now() + visibilityMs };
      waiting.set(message.id, received);
      return received;
    });
  };
  const queue: MessageQueue = {
    async receive() {
      await clock.sleep(20);
      return take(10);
    },
    delete: async (messages) => messages.forEach(({ id }) => waiting.delete(id)),
    async postpone(waits) {
      for (const { message, seconds } of waits) {
        const held = waiting.get(message.id);
        if (held !== undefined) waiting.set(message.id, { ...held, visibleAt: clock.now() + seconds * 1_000 });
      }
    },
  };
  return {
    ...queue,
    take,
    dead,
    send: (id: string, body: string) =>
      waiting.set(id, { id, receipt: id, body, receiveCount: 0, visibleAt: clock.now() }),
    count: () => waiting.size,
  };
}
