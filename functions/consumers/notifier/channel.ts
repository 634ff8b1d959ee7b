// A channel as whoever tells changes sees it: one message for any number of them, and what became of it.
import type { Change } from './change.ts';

/** Why nothing can be sent: the secret holds its placeholder still, or was refused for good until it has another version. */
export type Shut = { kind: 'not-set' } | { kind: 'refused'; versionId: string; status: number };

/** `later`: the channel is held, or others have the turns until then (ms since 1970). */
export type Outcome = { kind: 'sent' } | { kind: 'later'; at: number } | Shut;

export type Channel = {
  name: string;
  /** Null where something can be sent. */
  check(): Promise<Shut | null>;
  /** Tells the changes in one message, before `deadlineAt` (ms since 1970). Rejects where nobody knows whether it was told, or it was not and will not be by waiting. */
  tell(changes: readonly Change[], deadlineAt: number): Promise<Outcome>;
};
