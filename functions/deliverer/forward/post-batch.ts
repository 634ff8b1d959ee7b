// Posts a batch, and divides it where some of it cannot be taken, so that one bad record holds up no other.
import { randomUUID } from 'node:crypto';
import type { DeliveryRecord } from '../../destinations/state.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ForwardTarget, Post } from '../ports.ts';
import type { Attempt } from '../send/sender.ts';
import { toRequest, toVerdict, type Verdict } from './protocols.ts';
import type { CopyRecord } from './records.ts';

/** A record, and its form in the protocol. */
export type Formed = { record: CopyRecord; form: string };

export type Posted = {
  /** So many of the first records are settled: taken, or refused for good. */
  settled: number;
  refused: { record: CopyRecord; why: string }[];
  /** Why the rest is not; null where nothing failed. */
  failure: { why: string; retryAt: number | null } | null;
  /** What the collector confirms later. */
  ackIds: number[];
  attempts: DeliveryRecord[];
};

/**
 * So many refusals before anything was taken mean that no record is bad but the settings are. To find bad records at
 * the beginning of a batch takes about twice the binary logarithm of its size.
 */
const MAX_REFUSALS = 24;
/** So few records, each refused, may be bad all together: a record of ours that cannot be bad decides. */
const MAX_PROBED = 12;

type Sending = {
  target: ForwardTarget;
  headers: Readonly<Record<string, string>>;
  post: Post;
  clock: Clock;
  /** Makes a record that every system takes whose settings are right. */
  probe: () => Formed;
};
type Part = { from: number; formed: readonly Formed[] };

/** Posts records in their order, at least once each. Ends at `until`. */
export async function postBatch(formed: readonly Formed[], sending: Sending, until: number): Promise<Posted> {
  const parts: Part[] = [{ from: 0, formed }];
  const [refused, attempts, ackIds]: [Map<number, string>, DeliveryRecord[], number[]] = [new Map(), [], []];
  const isTaken = formed.map(() => false);
  let [failure, refusals]: [Posted['failure'], number] = [null, 0];
  while (parts.length > 0 && failure === null && sending.clock.now() < until) {
    const part = parts.shift() as Part;
    const { attempt, verdict } = await postOnce(part, sending, until);
    attempts.push(toRecord(attempt, verdict, part, sending));
    const why = attempt.reason ?? `status ${attempt.status}`;
    if (verdict.kind === 'failed') failure = { why, retryAt: attempt.retryAt };
    if (verdict.kind === 'taken') {
      for (const index of part.formed.keys()) isTaken[part.from + index] = !verdict.again.includes(index);
      for (const { at, why } of verdict.refused) refused.set(part.from + at, why);
      if (verdict.ackId !== null) ackIds.push(verdict.ackId);
      if (verdict.again.length > 0) failure = { why: `${verdict.again.length} were not taken`, retryAt: null };
    }
    if (verdict.kind !== 'divide') continue;
    refusals += 1;
    if (part.formed.length === 1) refused.set(part.from, why);
    parts.unshift(...dividedAt(part, verdict.at));
    if (refusals >= MAX_REFUSALS && !isTaken.includes(true))
      failure = { why: `each is refused: ${why}`, retryAt: null };
  }
  // What is refused while nothing is taken may be good: then it is the address, or its settings.
  const isDoubtful = failure === null && refused.size === formed.length && formed.length <= MAX_PROBED;
  const isJudged =
    isTaken.some((taken, index) => taken && !refused.has(index)) ||
    (isDoubtful && (await isProbeTaken(sending, until)));
  if (!isJudged && refused.size > 0) failure ??= { why: `each is refused: ${[...refused.values()][0]}`, retryAt: null };
  const isSettled = (index: number): boolean => (refused.has(index) ? isJudged : isTaken[index] === true);
  const first = formed.findIndex((_, index) => !isSettled(index));
  const settled = first === -1 ? formed.length : first;
  const of = [...refused].filter(([index]) => index < settled);
  return {
    settled,
    refused: of.map(([index, why]) => ({ record: (formed[index] as Formed).record, why })),
    failure,
    ackIds,
    attempts,
  };
}

async function isProbeTaken(sending: Sending, until: number): Promise<boolean> {
  const { verdict } = await postOnce({ from: 0, formed: [sending.probe()] }, sending, until);
  return verdict.kind === 'taken' && verdict.refused.length + verdict.again.length === 0;
}

async function postOnce(
  { formed }: Part,
  { target, headers, post }: Sending,
  until: number,
): Promise<{ attempt: Attempt & { text: string }; verdict: Verdict }> {
  const forms = formed.map(({ form }) => form);
  const attempt = await post(target, toRequest(target, forms, headers), until);
  const { status, text } = attempt;
  const verdict: Verdict =
    status === null ? { kind: 'failed' } : toVerdict(target.forward, { status, text }, formed.length);
  return { attempt, verdict };
}

/** Without the bad record, where it is known; else in halves. */
function dividedAt({ from, formed }: Part, at: number | null): Part[] {
  if (formed.length === 1) return [];
  const isKnown = at !== null && at < formed.length;
  const middle = isKnown ? at : Math.ceil(formed.length / 2);
  const cut = (start: number, end?: number): Part => ({ from: from + start, formed: formed.slice(start, end) });
  const parts = isKnown ? [cut(0, middle), cut(middle, middle + 1), cut(middle + 1)] : [cut(0, middle), cut(middle)];
  return parts.filter((part) => part.formed.length > 0);
}

/** A line of the log of deliveries, for a request with all of its records. */
function toRecord(
  attempt: Attempt,
  verdict: Verdict,
  { formed }: Part,
  { target: { name }, clock }: Sending,
): DeliveryRecord {
  const { status, reason, answer, durationMs } = attempt;
  return {
    name,
    eventId: `batch-${randomUUID()}`,
    detailType: formed.length === 1 ? '1 event' : `${formed.length} events`,
    at: clock.now() - durationMs,
    attempt: 1,
    outcome: verdict.kind === 'taken' ? 'delivered' : 'failed',
    status,
    answer: reason ?? answer,
    durationMs,
    nextAt: null,
  };
}
