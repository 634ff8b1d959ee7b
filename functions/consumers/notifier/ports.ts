// What the notifier needs of the world. The adapters are in functions/aws.

/** Which of these events this invocation tells, which were told before, and which another invocation is about to tell. */
export type Claims = { claimed: string[]; told: string[]; held: string[] };

/** What has been told, by channel and `metadata.id`, for longer than anything repeats an event (D15). Rejects with StateUnavailable. */
export type SentStore = {
  /**
   * Claims what nobody has told or is telling. A claim ends by itself at `until` (ms since 1970): whoever dies with it leaves it to the next. Claiming anew as the
   * same `owner` succeeds.
   */
  claim(channel: string, ids: readonly string[], claim: { owner: string; until: number }): Promise<Claims>;
  /** Remembers for 8 days that these were told. */
  complete(channel: string, ids: readonly string[]): Promise<void>;
  /** Gives claims back: nothing was told. */
  release(channel: string, ids: readonly string[]): Promise<void>;
};

/**
 * How fast a channel may go, over all invocations: one has the turn at a time, and gives it on with the instant at which the next may come. Instants in ms since
 * 1970. Rejects with StateUnavailable.
 */
export type Pace = {
  /** Takes the turn until `until`, when it ends by itself; or says from when on to ask again. */
  take(
    channel: string,
    turn: { owner: string; until: number },
  ): Promise<{ isTaken: true } | { isTaken: false; at: number }>;
  /** Ends the owner's turn; nobody has the next before `nextAt`. */
  giveOn(channel: string, turn: { owner: string; nextAt: number }): Promise<void>;
};

/** Channels that were refused for good, under one version of their secret. Rejects with StateUnavailable. */
export type ClosedChannels = {
  read(channel: string): Promise<{ versionId: string; status: number } | null>;
  close(channel: string, closed: { versionId: string; status: number }): Promise<void>;
};

/** `url` null while the secret holds its placeholder. Rejects with CredentialsUnreadable. */
export type UrlSecret = { read(): Promise<{ versionId: string; url: string | null }> };

export type Mail = {
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** The same for the same content. */
  messageId: string;
};

export type Mailer = {
  /** False while there is no address to send by. */
  isReady(): Promise<boolean>;
  /** Hands a mail over, within so long. Resolves to false while there is no address to send it by; rejects with DeliveryFailed. */
  send(mail: Mail, options: { timeoutMs: number }): Promise<boolean>;
};

/** A message of a queue, with an event in it. */
export type Message = { id: string; receipt: string; body: string; receiveCount: number };

/** A channel's queue. Rejects with StateUnavailable. */
export type MessageQueue = {
  /** Up to ten messages; none where the queue is empty. */
  receive(): Promise<Message[]>;
  delete(messages: readonly Message[]): Promise<void>;
  /** Nobody receives a message for so long. */
  postpone(waits: readonly { message: Message; seconds: number }[]): Promise<void>;
};
