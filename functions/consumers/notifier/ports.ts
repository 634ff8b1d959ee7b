// The ports of the notifier. The adapters are in functions/aws/notifier.

/** Events by state: claimed by this invocation, sent before, or claimed by another invocation. */
export type Claims = { claimed: string[]; sent: string[]; held: string[] };

/**
 * The events sent, by channel and `metadata.id`, kept for longer than any repetition (D15). Rejects with
 * StateUnavailable.
 */
export type SentStore = {
  /**
   * Claims the events that are neither sent nor claimed. A claim ends at `until` (ms since 1970), so that the events of
   * a dead invocation become free. The same `owner` may claim again.
   */
  claim(channel: string, ids: readonly string[], claim: { owner: string; until: number }): Promise<Claims>;
  /** Remembers for 8 days that these events were sent. */
  complete(channel: string, ids: readonly string[]): Promise<void>;
  /** Ends claims of events that were not sent. */
  release(channel: string, ids: readonly string[]): Promise<void>;
};

/**
 * The rate of a channel over all invocations: one at a time has the turn, and says on release when the next may start.
 * Instants in ms since 1970. Rejects with StateUnavailable.
 */
export type Pace = {
  /** Acquires the turn, which ends at `until` at the latest; or returns when to ask again. */
  acquire(
    channel: string,
    turn: { owner: string; until: number },
  ): Promise<{ isAcquired: true } | { isAcquired: false; at: number }>;
  /** Ends the owner's turn. The next one starts at `nextAt` or later. */
  release(channel: string, turn: { owner: string; nextAt: number }): Promise<void>;
};

/** Channels that refused a version of their secret for good. Rejects with StateUnavailable. */
export type DisabledChannels = {
  read(channel: string): Promise<{ versionId: string; status: number } | null>;
  disable(channel: string, refused: { versionId: string; status: number }): Promise<void>;
};

/** `url` is null while the secret holds its placeholder. Rejects with CredentialsUnreadable. */
export type UrlSecret = { read(): Promise<{ versionId: string; url: string | null }> };

export type Mail = {
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** The same for the same content. */
  messageId: string;
  /** Where to ask for no more mails: an address of https or mailto. */
  unsubscribe?: string | undefined;
};

export type Mailer = {
  /** False while the secret of the mail server holds its placeholder. */
  isReady(): Promise<boolean>;
  /**
   * Sends a mail within `timeoutMs`. Resolves to what the server answered, which is foreign text, or to null where it
   * is not ready. Rejects with DeliveryFailed.
   */
  send(mail: Mail, options: { timeoutMs: number }): Promise<string | null>;
};

/** A message of a queue that holds an event. */
export type Message = { id: string; receipt: string; body: string; receiveCount: number };

/** A channel's queue. Rejects with StateUnavailable. */
export type MessageQueue = {
  /** Up to ten messages; none if the queue is empty. */
  receive(): Promise<Message[]>;
  delete(messages: readonly Message[]): Promise<void>;
  /** Hides each message for its number of seconds. */
  postpone(waits: readonly { message: Message; seconds: number }[]): Promise<void>;
};
