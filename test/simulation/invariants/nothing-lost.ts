// I1: every entry that the bridge was to publish is on the bus at least once, or in quarantine. Copies count singly.
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import type { Gap, Written } from '../book.ts';
import type { Violation } from './violation.ts';

export type Losses = {
  lost: LoggedEntry[];
  /** Lost inside a span that the log names, and GapDetected told of. */
  announced: LoggedEntry[];
  violations: Violation[];
};

/** Looks through what is still open at the end. `isDue`: the settings ask for the entry. */
export function checkNothingLost(
  { open, gaps, told }: { open: Iterable<Written>; gaps: readonly Gap[]; told: readonly Gap[] },
  isDue: (entry: LoggedEntry) => boolean,
): Losses {
  const lost: LoggedEntry[] = [];
  const announced: LoggedEntry[] = [];
  const isAnnounced = (entry: LoggedEntry): boolean => isInGap(entry, gaps) && isInGap(entry, told);
  for (const { copies, ids } of open) {
    const missing = copies.filter(isDue).slice(ids.size);
    for (const entry of missing) (isAnnounced(entry) ? announced : lost).push(entry);
  }
  const [first] = lost;
  const violations = first ? [violation(`${lost.length} lost, first entry ${first.serial} (${stampOf(first)})`)] : [];
  return { lost, announced, violations };
}

/** The service's ways must explain a gap and a loss in it: otherwise GapDetected would be a licence to lose. */
export function checkGaps(
  { gaps, announced }: { gaps: readonly Gap[]; announced: readonly LoggedEntry[] },
  { isExplained, mayLoseInGap }: { isExplained: (gap: Gap) => boolean; mayLoseInGap: boolean },
): Violation[] {
  const unexplained = gaps.find((gap) => !isExplained(gap));
  const isLossExplained = announced.length === 0 || mayLoseInGap;
  return [
    ...(unexplained ? [violation(`a gap is announced (${unexplained.reason}) that nothing explains`)] : []),
    ...(isLossExplained ? [] : [violation(`${announced.length} lost in an announced gap, which nothing explains`)]),
  ];
}

function violation(what: string): Violation {
  return { invariant: 'I1 nothing lost', what };
}

/** A gap is reported in whole units of the stamps, and the bounds of filters may be exclusive. */
const GAP_SLACK_MS = 2_000;

export function isInGap({ stampedMicros }: LoggedEntry, gaps: readonly Gap[]): boolean {
  const at = stampedMicros / 1_000;
  return gaps.some(({ from, to }) => at >= from - GAP_SLACK_MS && at <= to + GAP_SLACK_MS);
}

export function stampOf({ stampedMicros }: LoggedEntry): string {
  return new Date(stampedMicros / 1_000).toISOString();
}
