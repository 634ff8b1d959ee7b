// Keeps what would be sent to people in a file: mails and messages to webhooks, in order.
import type { CollectorKind } from '../collectors/server.ts';
import { type Journal, openJournal } from '../platform/journal.ts';
import type { Node } from './json-nodes.ts';
import type { WebhookKind } from './webhooks.ts';

/** Times are in ms since 1970. */
export type SentMail = { kind: 'mail'; at: number; from: string; to: string[]; raw: string };
/** `payload` is as received. */
export type SentMessage = { kind: WebhookKind; at: number; channel: string; payload: Node };
/** A batch that a system of auditors has taken. `events` are the records as they came. */
export type SentBatch = { kind: 'forwarded'; at: number; to: CollectorKind; events: readonly object[] };
export type Sent = SentMail | SentMessage | SentBatch;

export type Outbox = {
  /** When this returns, it is in the file. */
  keep: (sent: Sent) => void;
  all: () => Sent[];
  count: () => number;
  close: () => void;
};

export function openOutbox(file: string): Outbox {
  const journal: Journal = openJournal(file);
  let count = journal.lines().length;
  return {
    keep: (sent) => {
      journal.append(JSON.stringify(sent));
      count += 1;
    },
    all: () => journal.lines().map((line) => JSON.parse(line) as Sent),
    count: () => count,
    close: () => journal.close(),
  };
}
