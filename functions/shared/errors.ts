// The errors of the bridge: every failure has a stable code that callers, metrics and the operating guide share.

/** The codes of `BridgeError`. Each is a metric dimension and a heading of `docs/operating.md`. Never rename one. */
export const ERROR_CODES = [
  'InvalidSettings',
  'InvalidEnvironment',
  'CredentialsRefused',
  'CredentialsUnreadable',
  'CredentialsNotSet',
  'LoginUnresolved',
  'Unauthorized',
  'PermissionDenied',
  'RateLimited',
  'RequestRefused',
  'ContinuationRefused',
  'ServiceUnavailable',
  'ServiceTimeout',
  'ResponseTooLarge',
  'ResponseInvalid',
  'RedirectRefused',
  'WalkDidNotEnd',
  'LeaseLost',
  'StateUnavailable',
  'StateInvalid',
  'BusMissing',
  'PublishFailed',
  'QuarantineFailed',
  'BucketUnavailable',
  'SchedulesUnavailable',
  'AuditBehind',
  'EventInvalid',
  'RequestInvalid',
  'DeliveryFailed',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Facts that are safe to log: never a password, a token, a continuation or a member's data. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | undefined | readonly string[]>>;

/** A failure of the bridge. `retryable`: the same call may succeed later without anybody changing anything. */
export class BridgeError extends Error {
  override readonly name: string = 'BridgeError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable: boolean; details?: ErrorDetails; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.details = options.details ?? {};
  }
}

/** What the log says of an error: its code, message and details. An error without a code is `Unexpected`. */
export function reportOf(error: unknown): { code: ErrorCode | 'Unexpected'; message: string; details?: ErrorDetails } {
  if (!(error instanceof BridgeError)) return { code: 'Unexpected', message: String(error) };
  const { code, message, details } = error;
  return { code, message, details };
}
