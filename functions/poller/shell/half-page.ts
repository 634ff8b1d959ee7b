// Asks for half of a page that names no next one, once in a source's life: it may be the last page, and it may be one
// of a service that never names a next one (S70).
import { BridgeError } from '../../shared/errors.ts';
import type { Window } from '../../source/state.ts';
import { halfToRequest, learnHalf } from '../learn/continuation.ts';
import { continuationOf, type FetchedPage } from '../request/next-request.ts';
import type { Run } from '../run/run.ts';
import { send } from './fetch-page.ts';
import { sendUntrusted } from './reports.ts';
import { OutOfRequests } from '../run/request-budget.ts';

/** Learns whether the silence of this page is the end. What keeps the half from coming teaches nothing. */
export async function askForHalf(
  run: Run,
  { continuation: sent }: Pick<Window, 'continuation'>,
  { page, params }: FetchedPage,
): Promise<void> {
  const { record, context, deadline, service } = run;
  const { settings } = context;
  const { profile } = record.state;
  const { value } = continuationOf(page, { sent, profile, settings });
  const request = halfToRequest(profile, { sent, value, params, entries: page.entries.length });
  if (request === null || deadline.isOver() || !service.budget.isFree()) return;
  const half = await send(run, request, { once: true }).catch(nullIfNotGiven);
  if (half === null) return;
  const learned = learnHalf(profile, continuationOf(half.page, { sent: null, profile, settings }));
  if (learned.wasTrusted) await sendUntrusted(run);
  record.commit({ profile: learned.profile });
}

function nullIfNotGiven(error: unknown): null {
  if (error instanceof BridgeError || error instanceof OutOfRequests) return null;
  throw error;
}
