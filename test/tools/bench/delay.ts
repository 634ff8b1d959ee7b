// Measures the delay from an entry to its event in simulated time: random entries, a tick per minute, late entries.
import type { BridgeEvent } from '../../../functions/events/event.ts';
import { canonicalJson, parseJson, sha256Hex } from '../../../functions/shared/json.ts';
import { personalities, type PersonalityName } from '../../../infra/membership-service/personality/personalities.ts';
import { createRandom } from '../../../infra/membership-service/random.ts';
import { createPollWorld, type PollWorld } from '../../support/poll-world.ts';
import { NoFigures } from './gate.ts';
import { quantile } from './quantiles.ts';

export type DelayFigures = {
  personality: PersonalityName;
  hours: number;
  entries: number;
  /** From the creation of an entry to the acceptance of its event, in seconds. */
  p50: number;
  p90: number;
  p99: number;
  worst: number;
};

const MINUTE_MS = 60_000;
/** Ticks without new entries, in which a settle sweep finds late ones. */
const SILENCE_MS = 4 * 60 * MINUTE_MS;
const SEED = 1;
/** Two services with ids: one without late entries, and one with a fifth of them up to 90 minutes late. */
export const DELAYED: readonly PersonalityName[] = ['ordinary', 'tardy'];

/** Simulates `hours` with an entry every `everyMs` on average. Rejects with NoFigures for a wrong result. */
export async function measureDelay(
  personality: PersonalityName,
  { hours, everyMs }: { hours: number; everyMs: number },
): Promise<DelayFigures> {
  const world = createPollWorld({ personality: personalities[personality], seed: SEED });
  const random = createRandom(`delay/${SEED}`);
  const acceptedAt = new Map<string, number>();
  await tick(world, acceptedAt);
  const from = world.now();
  const until = from + hours * 60 * MINUTE_MS;
  let nextEntryAt = from + random() * 2 * everyMs;
  for (let tickAt = from + MINUTE_MS; tickAt <= until + SILENCE_MS; tickAt += MINUTE_MS) {
    for (; nextEntryAt < Math.min(tickAt, until); nextEntryAt += random() * 2 * everyMs) {
      world.advance(Math.max(0, Math.floor(nextEntryAt) - world.now()));
      world.act();
    }
    world.advance(Math.max(0, tickAt - world.now()));
    await tick(world, acceptedAt);
  }
  assertWhole(world, from);
  const delays = world.service.log.written
    .filter(({ createdAt }) => createdAt >= from)
    .map(({ createdAt, json }) => ((acceptedAt.get(hashOf(json)) ?? NaN) - createdAt) / 1_000);
  const at = (share: number): number => quantile(delays, share);
  return { personality, hours, entries: delays.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), worst: at(1) };
}

async function tick(world: PollWorld, acceptedAt: Map<string, number>): Promise<void> {
  const result = await world.tick({
    instead: {
      publish: async (usual, events, options) => {
        const outcomes = await usual(events, options);
        for (const event of events) acceptedAt.set(entryOf(event), world.now());
        return outcomes;
      },
    },
  });
  if (result instanceof Error) throw new NoFigures(`A run failed: ${result.message}`);
}

function entryOf({ detail }: BridgeEvent): string {
  return (JSON.parse(detail) as { metadata?: { entrySha256?: string } }).metadata?.entrySha256 ?? '';
}

function hashOf(json: string): string {
  return sha256Hex(canonicalJson(parseJson(json)));
}

function assertWhole(world: PollWorld, from: number): void {
  const { lost, duplicates, overCounted } = world.audit(from);
  const wrong = { lost: lost.length, duplicates, 'over-counted': overCounted.length };
  if (Object.values(wrong).some((count) => count > 0))
    throw new NoFigures(`The bridge did its work wrong: ${JSON.stringify(wrong)}.`);
}
