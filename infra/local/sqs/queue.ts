// One queue: its messages lie in a file, are handed out for a while, and come back where nobody deletes them.
import { randomUUID } from 'node:crypto';
import { openDurableMap, type DurableMap } from '../cloud/durable-map.ts';
import type { MessageAttributes } from './message-attributes.ts';
import type { QueueDefinition } from './queue-definition.ts';

/** Times are in ms since 1970. */
export type Message = {
  id: string;
  body: string;
  attributes: MessageAttributes;
  sentAt: number;
  /** Handed out from then on; before, it is delayed or in somebody's hands. */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt: number | null;
  /** Of the last time that it was handed out; older ones have no effect. */
  receipt: string | null;
};

export type ReceivedMessage = Message & { receipt: string; firstReceivedAt: number };

export type ReceiveRequest = { most: number; visibilityMs: number; waitMs: number };

/** Whether a receipt is the last one of a message in somebody's hands. */
export type ReceiptState = 'held' | 'late' | 'unknown';

export class Queue {
  readonly definition: QueueDefinition;
  readonly #messages: DurableMap<Message>;
  readonly #waiting = new Set<() => void>();
  readonly #redrive: (message: Message) => void;
  #isClosed = false;

  /** Messages that lie in `file` from earlier runs are gone on with. `redrive` takes those that were handed out as often as the definition allows. */
  constructor(definition: QueueDefinition, file: string, redrive: (message: Message) => void = () => {}) {
    this.definition = definition;
    this.#redrive = redrive;
    this.#messages = openDurableMap(file);
  }

  /** The message lies in the file when this returns. */
  send(body: string, attributes: MessageAttributes, delayMs: number = this.definition.delayMs): Message {
    const sentAt = Date.now();
    const taken = { receiveCount: 0, firstReceivedAt: null, receipt: null };
    const message = { id: randomUUID(), body, attributes, sentAt, visibleAt: sentAt + delayMs, ...taken };
    this.#messages.set(message.id, message);
    this.#wake();
    return message;
  }

  /** Hands out what is visible, the oldest first; waits for it where there is none, for as long as the request says. */
  async receive(request: ReceiveRequest): Promise<ReceivedMessage[]> {
    const until = Date.now() + request.waitMs;
    for (;;) {
      const received = this.#take(request);
      const leftMs = until - Date.now();
      if (received.length > 0 || leftMs <= 0 || this.#isClosed) return received;
      await this.#change(leftMs);
    }
  }

  /** Deletes the message that was handed out last with this receipt. Says what the receipt is; a late one deletes nothing. */
  delete(receipt: string): ReceiptState {
    const { state, message } = this.#find(receipt);
    if (message !== null) this.#messages.delete(message.id);
    return state;
  }

  /** A message that was received comes back `ms` from now, unless its receiver has said since when it is to come back, or has deleted it. */
  giveBack({ receipt, visibleAt }: ReceivedMessage, ms: number): void {
    if (this.#find(receipt).message?.visibleAt === visibleAt) this.changeVisibility(receipt, ms);
  }

  /** The message comes back `visibilityMs` from now, at once where it is 0. */
  changeVisibility(receipt: string, visibilityMs: number): ReceiptState {
    const { state, message } = this.#find(receipt);
    if (message === null) return state;
    if (message.visibleAt <= Date.now()) return 'late';
    this.#messages.set(message.id, { ...message, visibleAt: Date.now() + visibilityMs });
    this.#wake();
    return state;
  }

  purge(): void {
    for (const [id] of this.#messages.entries()) this.#messages.delete(id);
  }

  counts(): { visible: number; inFlight: number; delayed: number } {
    const messages = this.#kept();
    const hidden = messages.filter(({ visibleAt }) => visibleAt > Date.now());
    const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
    return { visible: messages.length - hidden.length, inFlight: hidden.length - delayed, delayed };
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
    this.#messages.close();
  }

  #take({ most, visibilityMs }: ReceiveRequest): ReceivedMessage[] {
    if (this.#isClosed) return [];
    const now = Date.now();
    const visible = this.#kept().filter((message) => message.visibleAt <= now && !this.#isRedriven(message));
    return visible.slice(0, most).map((message) => {
      const received = {
        ...message,
        visibleAt: now + visibilityMs,
        receiveCount: message.receiveCount + 1,
        firstReceivedAt: message.firstReceivedAt ?? now,
        receipt: `${message.id}.${randomUUID()}`,
      };
      this.#messages.set(message.id, received);
      return received;
    });
  }

  /** In the dead-letter queue before it is gone from here: a crash between the two leaves it in both. */
  #isRedriven(message: Message): boolean {
    const { redrive } = this.definition;
    if (redrive === null || message.receiveCount < redrive.mostReceives) return false;
    this.#redrive(message);
    this.#messages.delete(message.id);
    return true;
  }

  /** Those that are not past the queue's retention, which forgets the others. */
  #kept(): Message[] {
    const since = Date.now() - this.definition.retentionMs;
    const messages = this.#messages.entries().map(([, message]) => message);
    for (const { id, sentAt } of messages) if (sentAt <= since) this.#messages.delete(id);
    return messages.filter(({ sentAt }) => sentAt > since);
  }

  #find(receipt: string): { state: ReceiptState; message: Message | null } {
    const [id = '', part] = receipt.split('.');
    if (part === undefined) return { state: 'unknown', message: null };
    const message = this.#messages.get(id);
    return message?.receipt === receipt ? { state: 'held', message } : { state: 'late', message: null };
  }

  /** Resolves when a message was sent or given back, when one comes back by itself, or after `mostMs`. */
  async #change(mostMs: number): Promise<void> {
    const comingBack = this.#kept().map(({ visibleAt }) => visibleAt - Date.now());
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(resolve, Math.max(Math.min(mostMs, ...comingBack), 1));
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}
