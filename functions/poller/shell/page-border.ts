// Page borders within a stamp (S85): asks the service once whether it keeps them, and reads what it leaves out.
import { BridgeError } from '../../shared/errors.ts';
import type { SweepLevel } from '../../source/state.ts';
import type { Recount } from '../identity/content-duplicates.ts';
import type { IdentifiedEntry } from '../identity/identify.ts';
import { mayBeCut } from '../learn/pages.ts';
import {
  answerOf,
  ANSWERS_TO_TRUST,
  cutEntry,
  learnAnswers,
  pageSizeToAsk,
  tieToAsk,
  withUnit,
  type Border,
} from '../learn/page-border.ts';
import { continuationOf, type FetchedPage } from '../request/next-request.ts';
import { OutOfRequests } from '../run/request-budget.ts';
import type { Run } from '../run/run.ts';
import { learn, reportGap } from './perform.ts';
import { recountUnit } from './recount.ts';

/** Learns whether pages begin within a stamp, from the first tie that a page shows. */
export async function askAboutBorders(
  run: Run,
  { page }: FetchedPage,
  { entries, sent }: { entries: readonly IdentifiedEntry[]; sent: string | null },
): Promise<void> {
  const { record, deadline, service, context } = run;
  const { profile } = record.state;
  const continuation = continuationOf(page, { sent, profile, settings: context.settings }).value;
  const tie = tieToAsk(profile, { entries, continuation });
  if (tie === null || deadline.isOver() || !service.budget.isFree()) return;
  const answers: (Border | null)[] = [];
  for (let count = 0; count < ANSWERS_TO_TRUST && (count === 0 || answers.includes('cut')); count += 1) {
    const asked = { recount: tie.entry, isTransitionRefuted: false };
    const unit = await recountUnit(run, asked, pageSizeToAsk(tie)).catch(nullIfNotGiven);
    if (unit === null) return;
    answers.push(answerOf(tie, unit));
  }
  await learn(run, learnAnswers(record.state.profile, answers));
}

/** What keeps the answer from coming teaches nothing. */
function nullIfNotGiven(error: unknown): null {
  if (error instanceof BridgeError || error instanceof OutOfRequests) return null;
  throw error;
}

type PageToComplete = { entries: IdentifiedEntry[]; recounts: Map<number, Recount> };

/**
 * The page with what its service leaves out after it, and the counts of that unit of time. A unit that does not fit on
 * the largest page has the same border in it: it is reported at once.
 */
export async function withCutEntries(
  run: Run,
  { page, params }: FetchedPage,
  identified: { entries: IdentifiedEntry[]; sent: string | null; level: SweepLevel },
): Promise<PageToComplete> {
  const { entries, sent, level } = identified;
  const { settings } = run.context;
  const { profile } = run.record.state;
  const isLast = continuationOf(page, { sent, profile, settings }).value === null;
  const last = cutEntry(profile, { entries, isLast, pageSize: params.pageSize });
  const recounts = new Map<number, Recount>();
  if (last === null) return { entries, recounts };
  const { unit, counts, pages } = await recountUnit(run, { recount: last, isTransitionRefuted: false });
  recounts.set(unit, counts);
  const [shown = []] = pages;
  const isCut = shown.at(-1)?.stamp?.text === last.stamp?.text && mayBeCut(profile, shown.length, page.entries.length);
  if (isCut) {
    const at = new Date(last.stamp?.instant ?? 0).toISOString();
    await reportGap(run, { from: at, to: at, reason: 'pageBorder' }, level);
  }
  return { entries: withUnit(entries, pages.flat(), last), recounts };
}
