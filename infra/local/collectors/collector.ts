// A system of auditors on this machine: speaks the documented protocol of its kind, and refuses what the real one does.

export type Asked = {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Unzipped. */
  body: string;
  /** As it came. */
  bytes: number;
};

export type CollectorAnswer = {
  status: number;
  body: string;
  /** A list: one line for each value. */
  headers?: Readonly<Record<string, string | string[]>>;
};

/** What a collector has taken. `id` is that of the event. */
export type Taken = { id: string; text: string };

type Collected = {
  /** In the order of arrival, with what came twice. */
  all: () => readonly Taken[];
  add: (taken: readonly Taken[]) => void;
};

export type CollectorOptions = {
  /** What a sender has to show. */
  token: string;
  /** Of Splunk and the bulk protocol: others do not exist. */
  index: string;
  /** Of Splunk: whether it acknowledges, and after how long. */
  ackAfterMs?: number | null;
  /** What is refused as if it had another form: a function of the event's id. */
  isBad?: (id: string) => boolean;
};

export type Collector = (asked: Asked, collected: Collected) => CollectorAnswer;

export function answer(status: number, json: unknown): CollectorAnswer {
  return { status, body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
}

/** The id of an event in its envelope; empty for anything else. */
export function idIn(envelope: unknown): string {
  const { detail } = (envelope ?? {}) as { detail?: { metadata?: { id?: unknown } } };
  const id = detail?.metadata?.id;
  return typeof id === 'string' ? id : '';
}

/** Undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
