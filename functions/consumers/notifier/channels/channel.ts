// A channel: sends any number of changes in one message, and reports the outcome.
import type { Change } from '../what-to-say/change.ts';

/** Why nothing can be sent: the secret still holds its placeholder, or its current version was refused for good. */
export type ChannelDisabled = { kind: 'not-set' } | { kind: 'refused'; versionId: string; status: number };

/**
 * `sent`: with what the receiver answered, on one line. `later`: send again from `at` on (ms since 1970), because the
 * receiver asks to wait or others have the turn.
 */
export type Outcome = { kind: 'sent'; answer: string } | { kind: 'later'; at: number } | ChannelDisabled;

export type Channel = {
  name: string;
  /** Who receives its messages, such as "Slack". */
  service: string;
  /** Null where the channel can send. */
  check(): Promise<ChannelDisabled | null>;
  /**
   * Sends the changes in one message, before `deadlineAt` (ms since 1970). Rejects where it is unknown whether the
   * message was sent, and for failures that do not pass by waiting.
   */
  send(changes: readonly Change[], deadlineAt: number): Promise<Outcome>;
};
