// Failing polls and consumers as lines: the first of its kind is told, what repeats is counted.
import type { PollResult } from '../../../functions/poller/result.ts';
import { printable } from './event-line.ts';
import type { InvocationError } from '../lambda/function-child.ts';

export type PollOutcome = { result?: unknown; error?: InvocationError };

/** What was told last, and how often it has been so since. */
export type Trouble = { name: string; repeats: number } | null;

/** What to remember, and the line to print or null. */
export type Followed = { trouble: Trouble; line: string | null };

const MAX_MESSAGE_LENGTH = 300;

/** Every so many repeats there is a line again. */
const TOLD_EVERY = 20;

/** Takes the outcome of a poll; returns the trouble after it, and the line to print or null. */
export function followTrouble(before: Trouble, outcome: PollOutcome): Followed {
  const found = troubleIn(outcome);
  if (found === null) return { trouble: null, line: before === null ? null : `polling works again${repeated(before)}` };
  return countTrouble(before, found);
}

/**
 * Takes the outcome of a consumer's invocation. That it works again is not told: the next event may be one that it can deal with,
 * and the one after it not.
 */
export function followConsumer(
  before: Trouble,
  { shortName, error }: { shortName: string; error?: InvocationError },
): Followed {
  return error === undefined ? { trouble: null, line: null } : countTrouble(before, failureOf(shortName, error));
}

/** Tells what is found where it is another than before, and again after every so many repeats. */
export function countTrouble(before: Trouble, found: { name: string; line: string }): Followed {
  if (before?.name !== found.name) return { trouble: { name: found.name, repeats: 0 }, line: found.line };
  const trouble = { name: found.name, repeats: before.repeats + 1 };
  return { trouble, line: trouble.repeats % TOLD_EVERY === 0 ? `${found.name}${repeated(trouble)}` : null };
}

/** What a poll has to complain of, in one line; null where it went well or another poll was at work. */
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
