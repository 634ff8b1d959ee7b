import { describe, expect, test } from 'vitest';
import { followTrouble, type PollOutcome, type Trouble } from '../../../../../infra/local/terminal/poll-failures.ts';

const fails = (code: string): PollOutcome => ({
  error: { errorType: 'BridgeError', errorMessage: 'No answer.\nMore.', code },
});
const ok: PollOutcome = { result: { outcome: 'idle' } };

function linesOf(outcomes: readonly PollOutcome[]): string[] {
  let trouble: Trouble = null;
  return outcomes.flatMap((outcome) => {
    const followed = followTrouble(trouble, outcome);
    trouble = followed.trouble;
    return followed.line ?? [];
  });
}

describe('failing polls', () => {
  test('are shown once with code and first line, and counted until polling works again', () => {
    const lines = linesOf([
      ok,
      fails('ServiceUnavailable'),
      fails('ServiceUnavailable'),
      fails('ServiceUnavailable'),
      ok,
      ok,
    ]);

    expect(lines).toEqual(['poll failed: ServiceUnavailable: No answer.', 'polling works again (2 more times)']);
  });

  test('are shown again when the code changes', () => {
    const lines = linesOf([fails('ServiceUnavailable'), fails('RateLimited'), ok]);

    expect(lines).toEqual([
      'poll failed: ServiceUnavailable: No answer.',
      'poll failed: RateLimited: No answer.',
      'polling works again',
    ]);
  });

  test('are shown again after many repetitions', () => {
    const lines = linesOf(Array.from({ length: 21 }, () => fails('RateLimited')));

    expect(lines).toEqual(['poll failed: RateLimited: No answer.', 'poll failed: RateLimited (20 more times)']);
  });

  test('include pauses, but not a lease held by another poll', () => {
    const paused = { result: { outcome: 'paused', reason: 'credentials-not-set' } };
    const busy = { result: { outcome: 'skipped', reason: 'lease-held' } };

    expect(linesOf([busy, paused])).toEqual(['poll paused: credentials-not-set']);
  });
});
