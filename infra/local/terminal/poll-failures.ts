// Failing polls and consumers as lines. The first failure of a kind is shown, repetitions are counted.
import type { PollResult } from '../../../functions/poller/result.ts';
import { printable } from '../../../functions/shared/printable.ts';
import type { InvocationError } from '../lambda/function-child.ts';

export type PollOutcome = { result?: unknown; error?: InvocationError };

/** The problem shown last, and how often it has occurred since. */
export type Trouble = { name: string; repeats: number } | null;

/** What to remember, and the line to print, if any. */
export type Followed = { trouble: Trouble; line: string | null };

const MAX_MESSAGE_LENGTH = 300;

/** A line is shown again after that many repetitions. */
const SHOWN_EVERY = 20;

/** Takes the outcome of a poll. */
export function followTrouble(before: Trouble, outcome: PollOutcome): Followed {
  const found = troubleIn(outcome);
  if (found === null) return { trouble: null, line: before === null ? null : `polling works again${repeated(before)}` };
  return countTrouble(before, found);
}

/**
 * Takes the outcome of a consumer's invocation. Success is not shown: the consumer may handle the next event and fail
 * on the one after it.
 */
export function followConsumer(
  before: Trouble,
  { shortName, error }: { shortName: string; error?: InvocationError },
): Followed {
  return error === undefined ? { trouble: null, line: null } : countTrouble(before, failureOf(shortName, error));
}

/** Shows a problem that differs from the last one, and the same one again after every so many repetitions. */
export function countTrouble(before: Trouble, found: { name: string; line: string }): Followed {
  if (before?.name !== found.name) return { trouble: { name: found.name, repeats: 0 }, line: found.line };
  const trouble = { name: found.name, repeats: before.repeats + 1 };
  return { trouble, line: trouble.repeats % SHOWN_EVERY === 0 ? `${found.name}${repeated(trouble)}` : null };
}

/** The problem of a poll in one line; null if it went well or if another poll holds the lease. */
export function troubleIn({ result, error }: PollOutcome): { name: string; line: string } | null {
  if (error !== undefined) return failureOf('poll', error);
  const { outcome, reason } = (result ?? {}) as Partial<PollResult>;
  if (outcome !== 'paused' && (outcome !== 'skipped' || reason === 'lease-held')) return null;
  const name = `poll ${outcome}: ${reason ?? 'no reason given'}`;
  return { name, line: name };
}

function failureOf(who: string, { errorType, errorMessage, code }: InvocationError): { name: string; line: string } {
  const name = `${who} failed: ${code ?? errorType}`;
  return { name, line: `${name}: ${firstLine(errorMessage)}` };
}

function repeated({ repeats }: { repeats: number }): string {
  if (repeats === 0) return '';
  return repeats === 1 ? ' (once more)' : ` (${repeats} more times)`;
}

function firstLine(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE_LENGTH);
}
