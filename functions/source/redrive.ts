// How an operator has the poller publish quarantined entries: only its role may publish events of entries.
import type { SourceInput } from './settings.ts';

/** The event of an invocation. `source` is as the source's schedule passes it. At most 10 ids. */
export type RedriveRequest = { redrive: string[]; source: SourceInput };

/** What became of one entry. `tooLarge`: its event is on the bus without data already. */
export type RedriveOutcome = {
  eventId: string;
  outcome: 'accepted' | 'refused' | 'failed' | 'tooLarge' | 'missing';
  /** Of the bus, where it did not take the event. */
  code?: string;
};

export const MAX_REDRIVEN = 10;

export function isRedriveRequest(event: unknown): event is RedriveRequest {
  const { redrive } = (event ?? {}) as { redrive?: unknown };
  return Array.isArray(redrive);
}
