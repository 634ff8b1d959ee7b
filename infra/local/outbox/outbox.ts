// Keeps what would be sent to people in a file: mails and Slack messages, in order.
import { type Journal, openJournal } from '../cloud/journal.ts';

/** Times are in ms since 1970. */
export type SentMail = { kind: 'mail'; at: number; from: string; to: string[]; raw: string };
export type SentSlack = { kind: 'slack'; at: number; channel: string; payload: SlackPayload };
export type Sent = SentMail | SentSlack;

/** As received. The page interprets it. */
export type SlackPayload = { text?: unknown; blocks?: unknown };

export type Outbox = {
  /** When this returns, it is in the file. */
  keep: (sent: Sent) => void;
  all: () => Sent[];
  close: () => void;
};

export function openOutbox(file: string): Outbox {
  const journal: Journal = openJournal(file);
  return {
    keep: (sent) => journal.append(JSON.stringify(sent)),
    all: () => journal.lines().map((line) => JSON.parse(line) as Sent),
    close: () => journal.close(),
  };
}
