import type { Node } from './json-nodes.ts';

export type WebhookAnswer = { status: number; body: string; headers?: Readonly<Record<string, string>> };

/** How a service receives messages, and how it shows them. */
export type LocalWebhook = {
  /** Its name, for people. */
  title: string;
  /** Path and query of a channel's address, with the key of this run as its secret part. */
  pathOf(channel: string, key: string): string;
  /** The channel, as it is encoded, and the key in a path; null if the path is of another service. */
  read(path: string): { encodedChannel: string; key: string } | null;
  /** Between two messages to one channel. */
  paceMs: number;
  /** How it refuses what is posted, undefined for what is no JSON; null if it takes it. */
  refusalOf(payload: unknown): WebhookAnswer | null;
  answers: Readonly<Record<'accepted' | 'forbidden' | 'tooFast' | 'down', WebhookAnswer>>;
  /** Who writes a message, as people see it. */
  sender: string;
  /** For the elements of `toHtml`, in light and in dark. */
  style: string;
  /** A message roughly as people see it. The payload is foreign: everything in it is escaped. */
  toHtml(payload: Node): string;
};
