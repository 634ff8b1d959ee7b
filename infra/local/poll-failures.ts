// Failing polls as lines: the first of its kind is told, what repeats is counted, and so is the end of it.
import type { PollResult } from '../../functions/poller/result.ts';
import type { InvocationError } from './function-child.ts';

export type PollOutcome = { result?: unknown; error?: InvocationError };

/** What was told last, and how often it has been so since. */
export type Trouble = { name: string; repeats: number } | null;

/** Every so many repeats there is a line again. */
const TOLD_EVERY = 20;

/** Takes the outcome of a poll; returns the trouble after it, and the line to print or null. */
export function followTrouble(before: Trouble, outcome: PollOutcome): { trouble: Trouble; line: string | null } {
  const found = troubleIn(outcome);
  if (found === null) return { trouble: null, line: before === null ? null : `polling works again${repeated(before)}` };
  if (before?.name !== found.name) return { trouble: { name: found.name, repeats: 0 }, line: found.line };
  const trouble = { name: found.name, repeats: before.repeats + 1 };
  return { trouble, line: trouble.repeats % TOLD_EVERY === 0 ? `${found.name}${repeated(trouble)}` : null };
}

/** What a poll has to complain of, in one line; null where it went well or another poll was at work. */
export function troubleIn({ result, error }: PollOutcome): { name: string; line: string } | null {
  if (error !== undefined) {
    const name = `poll failed: ${error.code ?? error.errorType}`;
    return { name, line: `${name}: ${firstLine(error.errorMessage)}` };
  }
  const { outcome, reason } = (result ?? {}) as Partial<PollResult>;
  if (outcome !== 'paused' && (outcome !== 'skipped' || reason === 'lease-held')) return null;
  const name = `poll ${outcome}: ${reason ?? 'no reason given'}`;
  return { name, line: name };
}

function repeated({ repeats }: { repeats: number }): string {
  if (repeats === 0) return '';
  return repeats === 1 ? ' (once more)' : ` (${repeats} more times)`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
