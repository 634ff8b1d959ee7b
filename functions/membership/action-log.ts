// The action log: how it is asked and what a page of it is.
import type { JsonObject } from '../shared/json.ts';

/** Query of `GET /app/actionlogs`, every documented parameter. Texts are sent as they are, percent-encoded byte for byte. */
export type ActionLogQuery = {
  pageSize?: number;
  requestContinuation?: string;
  actionKeys?: string;
  organisationMembershipId?: string;
  startDate?: string;
  endDate?: string;
};

/** One page as it came: the entries, and all that might hold the next continuation. */
export type ActionLogPage = {
  entries: JsonObject[];
  /** The members of the body beside `data`. */
  body: JsonObject;
  /** Response headers, names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The Date header in milliseconds since 1970, null where there is none that parses. */
  serverTime: number | null;
};

export type ActionLog = {
  /**
   * Reads one page. `timeoutMs` bounds the whole call, token and repeats included.
   * Rejects with a BridgeError: Unauthorized, CredentialsRefused, PermissionDenied, RateLimited (details.retryAt), RequestRefused (details.status),
   * ContinuationRefused (a 400, 404, 410, 414 or 431 to a request that carried a continuation; details.status), ServiceUnavailable, ServiceTimeout,
   * ResponseTooLarge, ResponseInvalid, RedirectRefused.
   */
  readPage(query: ActionLogQuery, options: { timeoutMs: number }): Promise<ActionLogPage>;
};

