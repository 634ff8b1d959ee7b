// One window, page by page, to its end: continuations followed, refusals answered, and time cut where paging fails.
import type { ActionLogPage } from '../membership/action-log.ts';
import { BridgeError } from '../shared/errors.ts';
import { openWindow } from './bisect.ts';
import { acceptPage, reportChange, type Accepted } from './accept-page.ts';
import { askPage, continuationOf, LARGEST_PAGE, pageSizeOf, type Answer } from './ask-page.ts';
import { closesCircle, followCircle } from './circle.ts';
import { deadlineReached, OutOfTime } from './deadline.ts';
import { isAskedOtherwise, learnBounds, startIsIgnored, withoutMet } from './filter-facts.ts';
import { cutTop, finishWindow, onRefusal, restart } from './mend-window.ts';
import type { Run } from './run.ts';
import type { LearnedFacts, Window } from '../source/state.ts';
import { replaceTop, startOver, topOf, type SweepInHand } from './sweep-in-hand.ts';
import { outlivesRun } from './trouble.ts';
import { decideWalk, type WalkDecision } from './walk-end.ts';
import { freshWalk, middleOf, toWitnesses } from './walk-memory.ts';
import { lowsWithin } from './window.ts';

/** Reads one page of the top window and takes it in; gives the sweep as it stands then. */
export async function readNextPage(run: Run, hand: SweepInHand): Promise<SweepInHand> {
  const window = topOf(hand.sweep);
  let answer: Answer;
  try {
    answer = await nextAnswer(run, window);
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'ContinuationRefused') return await onRefusal(run, hand, error);
    throw error;
  }
  const begun = withStart(run, hand, answer.page);
  const { idField } = run.state.learned;
  if (hand.walk.broughtNew) readOn(run, window, answer);
  try {
    const accepted = await acceptPage(run, begun.sweep, hand.walk, answer.page);
    const isNamedAnew = run.state.learned.idField !== idField;
    return await goOn(
      run,
      {
        ...begun,
        sweep: isNamedAnew ? { ...begun.sweep, windows: begun.sweep.windows.map(withoutWitnesses) } : begun.sweep,
        walk: {
          ...hand.walk,
          refusedOnce: false,
          broughtNew: bringsNew(accepted),
          ...(isNamedAnew ? { witnesses: toWitnesses(accepted.entries) } : {}),
        },
      },
      {
        window: isNamedAnew ? withoutWitnesses(window) : withoutMet(window, accepted.entries),
        answer,
        accepted,
      },
    );
  } catch (error) {
    // It stays over: the run ends here, and the next one reads this page again.
    if (error instanceof OutOfTime) return begun;
    throw error;
  }
}

/** Witnesses under names that entries no longer have would never be met, and tell of a gap where there is none. */
function withoutWitnesses(window: Window): Window {
  return { ...window, middle: [], witnesses: [] };
}

/** The page that was read on for, or one asked for now; a request of another walk is never under way beside it. */
async function nextAnswer(run: Run, window: Window): Promise<Answer> {
  const answer = run.ahead.take(window);
  if (answer !== null) return await answer;
  const failure = await run.ahead.settled();
  if (outlivesRun(failure)) throw failure;
  return await askPage(run, window);
}

/**
 * Asks for the page after this one while this one is published. Only in the midst of a walk that brings news, where it goes on for all that is known; and not where
 * the continuation stays the same: its place is then kept by the service, and a page that this run does not come to would be passed over.
 */
function readOn(run: Run, { continuation }: Window, { page, asked }: Answer): void {
  const { value } = continuationOf(run, page, continuation);
  if (continuation === null || value === null || value === continuation || value.length > LONGEST_CONTINUATION) return;
  if (deadlineReached(run) || !run.budget.isFree()) return;
  const next = { asked, continuation: value };
  run.ahead.begin(next, askPage(run, { ...openWindow({ from: null, to: null }), ...next }));
}

function bringsNew({ entries, allKnown }: Accepted): boolean {
  return entries.length > 0 && !allKnown;
}

/** Characters of a continuation that is still stored: the state must fit into an item of 400 KB. A longer one counts as refused for its length. */
const LONGEST_CONTINUATION = 65_536;

type PageRead = { window: Window; answer: Answer; accepted: Accepted };

/** How far the Date header may lie off our clock and still be believed. */
const MAX_CLOCK_DIFFERENCE_MS = 26 * 3_600_000;

/** A sweep began at the earlier of our clock and the service's: an entry stamped by a slow clock must not fall behind `low` (S26). A run may have had no time for its first page. */
function withStart(run: Run, hand: SweepInHand, { serverTime }: ActionLogPage): SweepInHand {
  if (hand.walk.pages > 0 || serverTime === null) return hand;
  if (Math.abs(run.clock.now() - serverTime) > MAX_CLOCK_DIFFERENCE_MS) return hand;
  run.state = lowsWithin(run.state, serverTime);
  const { publishFrom, baselineOpen } = run.state;
  if (baselineOpen && publishFrom !== null)
    run.state = { ...run.state, publishFrom: Math.min(publishFrom, serverTime) };
  return { ...hand, sweep: { ...hand.sweep, startedAt: Math.min(hand.sweep.startedAt, serverTime) } };
}

async function goOn(run: Run, hand: SweepInHand, read: PageRead): Promise<SweepInHand> {
  const { place, value } = continuationOf(run, read.answer.page, read.window.continuation);
  await learnContinuation(run, isSeen(run, value) ? place : null);
  const before = run.state.learned;
  run.state = { ...run.state, learned: learnBounds(run, read.window, read.answer, read.accepted.entries) };
  if (await endsAtKnown(run, hand, read)) return await finishWindow(run, hand, read.window);
  const { circle } = read.window;
  const isRound = circle !== undefined && closesCircle(circle, read.accepted);
  const decision = isRound ? 'barrenEnd' : decide(run, hand, read, value);
  await learnEnd(run, decision, value);
  rememberLongest(run, read);
  switch (decision) {
    case 'end':
    case 'barrenEnd':
      return await finishWindow(run, hand, read.window);
    case 'next':
      if (value !== null && value.length > LONGEST_CONTINUATION) return await cutTop(run, hand, 'refused');
      return replaceTop(hand, {
        ...read.window,
        asked: read.answer.asked,
        continuation: value,
        middle: hand.walk.witnesses.length > 0 ? middleOf(hand.walk) : read.window.middle,
        ...(circle === undefined ? {} : { circle: followCircle(circle, read.accepted) }),
      });
    case 'cut':
      // What the page has just shown of the filters may leave its neighbours out: asked again, before anything is given up.
      if (isAskedOtherwise([read.window, before], [read.window, run.state.learned]))
        return replaceTop(hand, startOver(read.window), freshWalk());
      return await cutTop(run, hand, 'unpaged');
    case 'stuck':
      return { ...restart(hand), stuck: true };
  }
}

/** A place from the settings is known only once the service has sent something there. */
function isSeen({ settings }: Run, value: string | null): boolean {
  return settings.fields.continuation === null || value !== null;
}

async function learnContinuation(run: Run, place: string | null): Promise<void> {
  const before = run.state.learned.continuation;
  if (place === null || place === before) return;
  if (before !== null) await reportChange(run, { kind: 'continuation', before, after: place });
  run.state = { ...run.state, learned: { ...run.state.learned, continuation: place } };
}

function decide(run: Run, { walk, sweep }: SweepInHand, read: PageRead, continuation: string | null): WalkDecision {
  const { learned } = run.state;
  const entries = read.accepted.entries.length;
  const decision = decideWalk({
    continued: continuation !== null,
    placeKnown: learned.continuation !== null,
    entries,
    pageSize: read.answer.asked.pageSize,
    longestBefore: longestFor(learned, pageSizeOf(learned, run.settings)),
    barren: walk.barren,
    endsWithoutContinuation: learned.endsWithoutContinuation,
    barrenEnds: learned.barrenEnds,
    recent: sweep.level === 'recent',
  });
  return decision === 'cut' && isWholeAtLargest(learned, read) ? 'end' : decision;
}

/** A page asked with the largest page size is whole where a longer one has come: the service may clamp anywhere between that size and the usual one. */
function isWholeAtLargest({ longestAtLargest }: LearnedFacts, { answer, accepted }: PageRead): boolean {
  return answer.asked.pageSize === LARGEST_PAGE && accepted.entries.length < longestAtLargest;
}

function longestFor({ longestPage }: LearnedFacts, pageSize: number): number {
  return longestPage?.pageSize === pageSize ? longestPage.entries : 0;
}

function rememberLongest(run: Run, { window, answer, accepted }: PageRead): void {
  const { learned } = run.state;
  const { pageSize } = answer.asked;
  if (pageSize === LARGEST_PAGE) {
    const longestAtLargest = Math.max(learned.longestAtLargest, accepted.entries.length);
    run.state = { ...run.state, learned: { ...learned, longestAtLargest } };
  }
  if (window.largest) return;
  const entries = Math.max(longestFor(learned, pageSize), accepted.entries.length);
  run.state = { ...run.state, learned: { ...run.state.learned, longestPage: { pageSize, entries } } };
}

/** Walks in a row that must get stuck before the service is taken to have changed: from then on barren pages end its walks. */
const STUCK_WALKS_TO_UNLEARN = 3;

async function learnEnd(run: Run, decision: WalkDecision, continuation: string | null): Promise<void> {
  const { learned } = run.state;
  if (decision === 'barrenEnd')
    run.state = { ...run.state, learned: { ...learned, barrenEnds: learned.barrenEnds + 1 } };
  else if (decision === 'end' && continuation === null && learned.continuation !== null)
    run.state = { ...run.state, learned: { ...learned, endsWithoutContinuation: true, stuckWalks: 0 } };
  else if (decision === 'stuck') await learnStuck(run);
}

async function learnStuck(run: Run): Promise<void> {
  const { learned } = run.state;
  const stuckWalks = learned.stuckWalks + 1;
  if (stuckWalks < STUCK_WALKS_TO_UNLEARN) {
    run.state = { ...run.state, learned: { ...learned, stuckWalks } };
    return;
  }
  run.state = { ...run.state, learned: { ...learned, stuckWalks: 0, endsWithoutContinuation: false } };
  await reportChange(run, { kind: 'walkEnd', before: 'without a continuation', after: 'never' });
}

/**
 * A service that ignores startDate would have its whole log read at each sweep: newest first, the walk of a smaller sweep ends at the first page wholly in the ledger
 * that reaches back beyond the window. A known page inside the window is no end: a run that died after it has not read the next one.
 * Reconcile sweeps, and the reading of the past, read on.
 */
async function endsAtKnown(run: Run, { sweep }: SweepInHand, { window, accepted }: PageRead): Promise<boolean> {
  if (!run.state.learned.ignoresStart && startIsIgnored(window, accepted.entries)) {
    await reportChange(run, { kind: 'startDate', before: 'honoured', after: 'ignored' });
    run.state = { ...run.state, learned: { ...run.state.learned, ignoresStart: true } };
  }
  const isSmall = sweep.level === 'recent' || sweep.level === 'settle';
  return run.state.learned.ignoresStart && isSmall && accepted.allKnown && descendsBeyond(window, accepted);
}

/** The page is in order, newest first, and its last entry lies before the window. A page of one stamp shows no order: it may stand in a log that ascends. */
function descendsBeyond({ from }: Window, { entries }: Accepted): boolean {
  const stamps = entries.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.instant]));
  const [first, last] = [stamps[0], stamps.at(-1)];
  if (from === null || first === undefined || last === undefined || last >= from || first === last) return false;
  return stamps.every((instant, index) => index === 0 || instant <= (stamps[index - 1] as number));
}
