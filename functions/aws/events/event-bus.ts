// The event bus: events out, in batches that fit, again where EventBridge asks for it, with an outcome for each.
import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { BridgeEvent } from '../../events/event.ts';
import type { EventBus, PublishOutcome } from '../../source/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { gateOf } from '../../shared/in-parallel.ts';
import { abortAt, backOff } from '../back-off.ts';
import { createBusCheck } from './bus-check.ts';
import { sizeOf, toBatches } from './event-batches.ts';
import { failed, judgeCall, judgeEntry, refused, type Verdict } from './publish-verdicts.ts';

/** PutEvents takes 1 MB in total since January 2026, and 256 KB where that has not arrived: such a refusal is bisected. */
const DEFAULT_MAX_ENTRY_BYTES = 1_000_000;
/** AWS's limit; a longer one would have every event of the call refused. */
const LONGEST_TRACE_HEADER = 500;
/** PutEvents under way at once, over all that is being published: an answer takes some 10 ms, which would else be the most of a drain's time. */
const CALLS_AT_ONCE = 4;

type Publishing = {
  client: EventBridgeClient;
  busName: string;
  clock: Clock;
  gate: ReturnType<typeof gateOf>;
  deadlineAt: number;
  traceHeader?: string;
};

/** An EventBridge bus. `maxEntryBytes` bounds an entry and, as AWS has it, a call too. */
export function createEventBus({
  client,
  busName,
  maxEntryBytes = DEFAULT_MAX_ENTRY_BYTES,
  clock,
}: {
  client: EventBridgeClient;
  busName: string;
  maxEntryBytes?: number;
  clock: Clock;
}): EventBus {
  const confirmBus = createBusCheck({ client, busName, clock });
  const gate = gateOf(CALLS_AT_ONCE);
  return {
    maxEntryBytes,
    sizeOf,
    async publish(events, options) {
      if (events.length === 0) return [];
      await confirmBus(options.deadlineAt);
      return publishAll({ client, busName, clock, gate, ...options }, events, maxEntryBytes);
    },
  };
}

/** Round by round: what failed for the moment is batched anew, until all is told or the time is up. */
async function publishAll(
  publishing: Publishing,
  events: readonly BridgeEvent[],
  maxBytes: number,
): Promise<PublishOutcome[]> {
  const verdicts = events.map((event) => (sizeOf(event) > maxBytes ? tooLarge(maxBytes) : NOT_SENT));
  for (let round = 0; ; round += 1) {
    const pending = [...events.entries()].filter(([index]) => verdicts[index]?.again);
    if (pending.length === 0) break;
    if (round > 0 && !(await backOff(publishing.clock, round, publishing.deadlineAt))) break;
    const calls = toBatches(pending, ([, event]) => sizeOf(event), maxBytes).map(async (batch) => {
      const sent = batch.map(([, event]) => event);
      const told = await publishing.gate(async () => await send(publishing, sent));
      // What was not sent for want of time keeps the failure of its last attempt.
      for (const [position, [index]] of batch.entries())
        if (told[position] !== NOT_SENT) verdicts[index] = told[position] ?? NOT_SENT;
    });
    await Promise.all(calls);
  }
  return verdicts.map(({ outcome }) => outcome);
}

/** One call, or several where EventBridge refuses the batch as a whole: halves are sent until the refusal stands on a single event. */
async function send(publishing: Publishing, batch: readonly BridgeEvent[]): Promise<Verdict[]> {
  const { client, clock, deadlineAt } = publishing;
  if (clock.now() >= deadlineAt) return batch.map(() => NOT_SENT);
  try {
    const command = new PutEventsCommand({ Entries: batch.map((event) => toEntry(publishing, event)) });
    const { Entries = [] } = await client.send(command, { abortSignal: abortAt(clock, deadlineAt) });
    return batch.map((_, index) => judgeEntry(Entries[index]));
  } catch (error) {
    const verdict = judgeCall(error);
    if (verdict.outcome.status !== 'refused' || batch.length === 1) return batch.map(() => verdict);
    const middle = Math.ceil(batch.length / 2);
    return [...(await send(publishing, batch.slice(0, middle))), ...(await send(publishing, batch.slice(middle)))];
  }
}

function toEntry({ busName, traceHeader }: Publishing, event: BridgeEvent): PutEventsRequestEntry {
  return {
    EventBusName: busName,
    Source: event.source,
    DetailType: event.detailType,
    Detail: event.detail,
    Time: event.time,
    ...(traceHeader && traceHeader.length <= LONGEST_TRACE_HEADER ? { TraceHeader: traceHeader } : {}),
  };
}

const NOT_SENT = failed('DeadlineReached', 'The time was up before EventBridge was asked.', true);

function tooLarge(maxBytes: number): Verdict {
  return refused('EntryTooLarge', `The event has more than ${maxBytes} bytes.`);
}
