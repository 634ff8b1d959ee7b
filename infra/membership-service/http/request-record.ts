// A record of the requests to the service, for tests and for people.

export type RecordedRequest = {
  method: string;
  path: string;
  /** Decoded, in the order sent. */
  query: [name: string, value: string][];
  /** ms since 1970. */
  at: number;
  /** Null before the answer, and forever if the socket was destroyed or the request is left hanging. */
  status: number | null;
};

export type RequestRecord = {
  total: number;
  /** Requests to /token, and for pages of the action log. */
  token: number;
  actionlogs: number;
  /** The last 1,000, oldest first. */
  readonly recent: readonly RecordedRequest[];
};

const MAX_RECENT = 1000;

export function createRequestRecord(): { record: RequestRecord; add(request: RecordedRequest): void } {
  const recent: RecordedRequest[] = [];
  const record: RequestRecord = { total: 0, token: 0, actionlogs: 0, recent };
  const add = (request: RecordedRequest): void => {
    record.total += 1;
    if (request.path === '/token') record.token += 1;
    if (request.path === '/app/actionlogs') record.actionlogs += 1;
    recent.push(request);
    if (recent.length > MAX_RECENT) recent.shift();
  };
  return { record, add };
}
