// A call to an AWS service, as the local endpoint passes it on: in the JSON protocols a text, with S3 the request itself.

export type ServiceName = 'dynamodb' | 'eventbridge' | 's3' | 'secretsmanager' | 'ses' | 'sqs';

/** `path` with its query, as it came; names of headers in small letters. */
export type HttpRequest = { method: string; path: string; headers: Readonly<Record<string, string>>; bytes: Buffer };

/** `request` is there where the operation is more than its body. */
export type Call = { service: ServiceName; operation: string; body: string; request?: HttpRequest };

/** Where there are `bytes`, they are the body. */
export type Answer = { status: number; body: string; bytes?: Uint8Array; headers?: Readonly<Record<string, string>> };

/** Answers a service's calls; an operation that it does not have is a Unsupported. */
export type Service = (operation: string, body: string, request?: HttpRequest) => Answer | Promise<Answer>;

/** One operation of a service: parsed input to output, or to the promise of it. */
export type Operation = (input: Record<string, unknown>) => unknown;

/** A refusal in AWS's own words: `type` becomes the error's name in the SDK. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  readonly type: string;
  /** What a service says in headers beside it. */
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
