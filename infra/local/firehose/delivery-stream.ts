// A Firehose stream on this machine: buffers records in a file until they are old or large enough for an object.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { DeliveryStreamDefinition } from './delivery-stream-definition.ts';
import { type Journal, openJournal } from '../platform/journal.ts';

type Options = {
  definition: DeliveryStreamDefinition;
  /** The folder of this stream only. */
  folder: string;
  /** When this returns, the object is in its bucket. */
  write: (key: string, bytes: Uint8Array) => void;
  /** How long the stream buffers here, instead of the template's time. */
  bufferMs: number;
};

const BUFFER = 'buffer.ndjson';
const CLOSED = '.closed';

/**
 *     put        buffer.ndjson grows
 *     flush      buffer.ndjson -> 1763719200000-<uuid>.closed -> the object of that name -> removed
 * After a crash, the next start writes what is left, under the same key: nothing is lost, nothing is in two objects.
 */
export class DeliveryStream {
  readonly definition: DeliveryStreamDefinition;
  readonly #options: Options;
  #buffer: Journal;
  #bytes: number;
  #since: number | null;
  #timer: NodeJS.Timeout | undefined;
  #isRefused = false;

  constructor(options: Options) {
    this.#options = options;
    this.definition = options.definition;
    mkdirSync(options.folder, { recursive: true });
    this.#buffer = openJournal(this.#file(BUFFER));
    this.#bytes = Buffer.byteLength(this.buffered().join('\n'));
    this.#since = this.#bytes > 0 ? Date.now() : null;
  }

  /** When this returns, the record (one line) is in the file. */
  put(line: string): void {
    this.#buffer.append(line);
    this.#bytes += Buffer.byteLength(line) + 1;
    this.#since ??= Date.now();
    if (this.#bytes >= this.definition.bufferBytes) this.flush();
    else this.#waitForAge();
  }

  /** The records that are not in an object yet. */
  buffered(): string[] {
    return this.#buffer.lines();
  }

  /** The age of the oldest of them in ms; null without any. */
  age(): number | null {
    return this.#since === null ? null : Date.now() - this.#since;
  }

  /** Continues what an earlier run left. */
  resume(): void {
    for (const name of readdirSync(this.#options.folder).filter((one) => one.endsWith(CLOSED))) this.#deliver(name);
    if (this.#bytes > 0) this.#waitForAge();
  }

  /** Writes an object with everything buffered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0 || this.#isRefused) return;
    const closed = `${Date.now()}-${randomUUID()}${CLOSED}`;
    this.#buffer.close();
    renameSync(this.#file(BUFFER), this.#file(closed));
    this.#buffer = openJournal(this.#file(BUFFER));
    [this.#bytes, this.#since] = [0, null];
    this.#deliver(closed);
  }

  /** While the bucket refuses, everything stays buffered. Afterwards it is written at once. */
  refuse(doRefuse: boolean): void {
    this.#isRefused = doRefuse;
    if (!doRefuse) this.flush();
  }

  /** Stops writing. What is buffered stays in the file. */
  close(): void {
    clearTimeout(this.#timer);
    this.#buffer.close();
  }

  #deliver(closed: string): void {
    const file = this.#file(closed);
    this.#options.write(this.#keyOf(basename(closed, CLOSED)), gzipSync(readFileSync(file)));
    rmSync(file);
  }

  /** As Firehose names its objects: the hour in UTC, the stream with its version, the time, something random. */
  #keyOf(name: string): string {
    const { name: stream, prefix } = this.definition;
    const hyphen = name.indexOf('-');
    const time = new Date(Number(name.slice(0, hyphen))).toISOString();
    const folder = time.slice(0, 13).replaceAll(/[-T]/g, '/');
    return `${prefix}${folder}/${stream}-1-${time.slice(0, 19).replaceAll(/[T:]/g, '-')}-${name.slice(hyphen + 1)}.gz`;
  }

  #waitForAge(): void {
    this.#timer ??= setTimeout(() => this.flush(), this.#options.bufferMs);
  }

  #file(name: string): string {
    return join(this.#options.folder, name);
  }
}
