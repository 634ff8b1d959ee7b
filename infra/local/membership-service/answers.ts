// What the service answers: the envelope, bare JSON, and refusals.

export type Answer = { status: number; headers?: Record<string, string>; body: string };

/** Ends the work on a request with a status. The message goes to the caller in the envelope's `errors`. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** JSON as it is: what the interface document calls an array or an object without an envelope. */
export function bare(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value) };
}

/** The envelope around a payload that came about as it should. */
export function enveloped(data: unknown): Answer {
  return bare({ data, isValid: true, errors: [] });
}

/** The envelope of a failure. The interface document does not show an entry of `errors`: code and message are invented. */
export function refusal(status: number, message: string): Answer {
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : undefined;
  const body = JSON.stringify({ data: null, isValid: false, errors: [{ code: String(status), message }] });
  return headers ? { status, headers, body } : { status, body };
}
