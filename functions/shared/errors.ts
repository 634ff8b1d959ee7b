// The one error family of the bridge: every way to fail has a stable code that callers, metrics and the operating guide share.

/**
 * Every code a `BridgeError` can carry. A code is a metric dimension and a heading of `docs/operating.md`;
 * it is never renamed.
 */
export const ERROR_CODES = [
  'InvalidSettings',
  'InvalidEnvironment',
  'CredentialsRefused',
  'CredentialsUnreadable',
  'CredentialsNotSet',
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
  'AuditBehind',
  'EventInvalid',
  'RequestInvalid',
  'DeliveryFailed',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** What is known about a failure and safe to log: never a password, a token, a continuation or a member's data. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A failure of the bridge. `retryable` says whether the same call may succeed later without anybody changing anything.
 */
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
