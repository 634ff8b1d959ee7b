// A call to an AWS service as the local endpoint passes it on: text for the JSON protocols, the HTTP request for S3.

export type ServiceName =
  | 'cloudformation'
  | 'cloudwatch'
  | 'dynamodb'
  | 'eventbridge'
  | 'lambda'
  | 'logs'
  | 's3'
  | 'scheduler'
  | 'secretsmanager'
  | 'ses'
  | 'sqs'
  | 'sts';

/** `path` includes the query, as received. Header names are in lower case. */
export type HttpRequest = { method: string; path: string; headers: Readonly<Record<string, string>>; bytes: Buffer };

/** `body` is the request's, as text; empty for S3. `request` is absent for calls of the local runtime itself. */
export type Call = { service: ServiceName; operation: string; body: string; request?: HttpRequest };

/** `bytes`, if present, are the body. */
export type Answer = { status: number; body: string; bytes?: Uint8Array; headers?: Readonly<Record<string, string>> };

/** Answers the calls of one service. Throws Unsupported for an operation that is not implemented. */
export type Service = (operation: string, body: string, request?: HttpRequest) => Answer | Promise<Answer>;

/** One operation of a service: from parsed input to output, or to a promise of it. */
export type Operation = (input: Record<string, unknown>, request?: HttpRequest) => unknown;

/** A refusal in AWS's words. `type` becomes the name of the error in the SDK. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  readonly type: string;
  /** Headers that the service sends with it. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.type = type;
    this.headers = headers;
  }
}

export function refusalAnswer(type: string, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 400, body: JSON.stringify({ __type: type, message }), headers };
}

export function validationRefusal(message: string): AwsRefusal {
  return new AwsRefusal('ValidationException', message);
}
