// What was sent to people, kept in a file instead: mails and messages to Slack, in the order in which they came.
import { type Journal, openJournal } from '../cloud/journal.ts';

/** Times are in ms since 1970. */
export type SentMail = { kind: 'mail'; at: number; from: string; to: string[]; raw: string };
export type SentSlack = { kind: 'slack'; at: number; channel: string; payload: SlackPayload };
export type Sent = SentMail | SentSlack;

/** As it came: what Slack would make of it is for the page to show. */
export type SlackPayload = { text?: unknown; blocks?: unknown };

export type Outbox = {
  /** It lies in the file when this returns. */
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
