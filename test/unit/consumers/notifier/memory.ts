// The notifier's surroundings in memory, each keeping the promise of its port and the habits of what stands behind it.
import type {
  ClosedChannels,
  Message,
  MessageQueue,
  Pace,
  SentStore,
} from '../../../../functions/consumers/notifier/ports.ts';
import type { Clock } from '../../../../functions/shared/clock.ts';

/** As the template has it: test/infra/notifier.test.ts. */
const MOST_RECEIPTS = 12;

export function createMemoryStore(clock: Clock): SentStore {
  const kept = new Map<string, { owner: string; until: number } | 'told'>();
  return {
    async claim(channel, ids, claim) {
      const verdictOf = (id: string) => {
        const item = kept.get(`${channel} ${id}`);
        if (item === 'told') return 'told';
        return item === undefined || item.until <= clock.now() || item.owner === claim.owner ? 'claimed' : 'held';
      };
      const verdicts = Map.groupBy(ids, verdictOf);
      for (const id of verdicts.get('claimed') ?? []) kept.set(`${channel} ${id}`, claim);
      const which = (verdict: 'claimed' | 'told' | 'held') => verdicts.get(verdict) ?? [];
      return { claimed: which('claimed'), told: which('told'), held: which('held') };
    },
    complete: async (channel, ids) => ids.forEach((id) => kept.set(`${channel} ${id}`, 'told')),
    release: async (channel, ids) => ids.forEach((id) => kept.delete(`${channel} ${id}`)),
  };
}

export function createMemoryPace(clock: Clock): Pace {
  const turns = new Map<string, { owner: string; nextAt: number }>();
  return {
    async take(channel, { owner, until }) {
      const turn = turns.get(channel);
      if (turn !== undefined && turn.nextAt > clock.now() && turn.owner !== owner)
        return { isTaken: false, at: turn.nextAt };
      turns.set(channel, { owner, nextAt: until });
      return { isTaken: true };
    },
    async giveOn(channel, turn) {
      if (turns.get(channel)?.owner === turn.owner) turns.set(channel, turn);
    },
  };
}

export function createMemoryClosed(): ClosedChannels {
  const closed = new Map<string, { versionId: string; status: number }>();
  return {
    read: async (channel) => closed.get(channel) ?? null,
    close: async (channel, by) => void closed.set(channel, by),
  };
}

type Waiting = Message & { visibleAt: number };

/** A queue of SQS: what is handed out and not deleted comes back, and after so many receipts is a dead letter. */
export function createMemoryQueue(clock: Clock, { visibilityMs }: { visibilityMs: number }) {
  const waiting = new Map<string, Waiting>();
  const dead: string[] = [];
  const take = (most: number): Message[] => {
    const visible = [...waiting.values()].filter(({ visibleAt }) => visibleAt <= clock.now());
    for (const { id } of visible.filter(({ receiveCount }) => receiveCount >= MOST_RECEIPTS)) {
      waiting.delete(id);
      dead.push(id);
    }
    const taken = visible.filter(({ id }) => waiting.has(id)).slice(0, most);
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
