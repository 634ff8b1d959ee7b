// What was asked of the service, for tests and for the curious.

export type RecordedRequest = {
  method: string;
  path: string;
  /** Decoded, in the order sent. */
  query: [name: string, value: string][];
  /** ms since 1970. */
  at: number;
  /** Null while there is no answer, and for ever where the socket was destroyed or the request left hanging. */
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

const KEPT = 1000;

export function createRequestRecord(): { record: RequestRecord; add(request: RecordedRequest): void } {
  const recent: RecordedRequest[] = [];
  const record: RequestRecord = { total: 0, token: 0, actionlogs: 0, recent };
  const add = (request: RecordedRequest): void => {
    record.total += 1;
    if (request.path === '/token') record.token += 1;
    if (request.path === '/app/actionlogs') record.actionlogs += 1;
    recent.push(request);
    if (recent.length > KEPT) recent.shift();
  };
  return { record, add };
}
