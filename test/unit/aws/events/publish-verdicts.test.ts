import { describe, expect, it } from 'vitest';
import { judgeCall, judgeEntry } from '../../../../functions/aws/events/publish-verdicts.ts';

function aFailure(name: string, httpStatusCode?: number, message = 'a message'): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
}

describe('the verdict on an entry', () => {
  it('is accepted with an event id', () => {
    expect(judgeEntry({ EventId: 'e-1' })).toEqual({ outcome: { status: 'accepted' }, isRetryable: false });
  });

  it.each(['MalformedDetail', 'InvalidArgument', 'RedactionFailure', 'ValidationException'])(
    'is refused for good with %s',
    (code) => {
      const verdict = judgeEntry({ ErrorCode: code, ErrorMessage: 'why' });

      expect(verdict).toEqual({ outcome: { status: 'refused', code, message: 'why' }, isRetryable: false });
    },
  );

  it.each(['ThrottlingException', 'InternalFailure', 'InternalException', 'ServiceUnavailable', 'NeverSeenBefore'])(
    'is retryable with %s',
    (code) => {
      expect(judgeEntry({ ErrorCode: code })).toMatchObject({ outcome: { status: 'failed', code }, isRetryable: true });
    },
  );

  it.each([
    'AccessDeniedException',
    'InvalidAccountIdException',
    'NotAuthorizedForSourceException',
    'NotAuthorizedForDetailTypeException',
  ])('is failed, not refused, with %s, because the setup is wrong and not the entry', (code) => {
    expect(judgeEntry({ ErrorCode: code })).toMatchObject({
      outcome: { status: 'failed', code },
      isRetryable: false,
    });
  });

  it.each([undefined, {}])('is retryable when the answer says nothing: %o', (entry) => {
    expect(judgeEntry(entry)).toMatchObject({ outcome: { status: 'failed', code: 'NoEventId' }, isRetryable: true });
  });
});

describe('the verdict on a call', () => {
  it.each([
    aFailure('ValidationException', 400),
    aFailure('SerializationException', 400),
    aFailure('RequestEntityTooLargeException', 413),
    aFailure('InvalidParameterValue', 400),
    aFailure('RequestEntityTooLarge', 400),
    aFailure('ValidationError', 400),
    aFailure('UnknownError', 413),
  ])('is refused for its content: %s', (error) => {
    expect(judgeCall(error)).toMatchObject({ outcome: { status: 'refused', code: error.name }, isRetryable: false });
  });

  it.each([
    aFailure('ThrottlingException', 400),
    aFailure('ExpiredTokenException', 400),
    aFailure('TooManyRequests', 429),
    aFailure('InternalException', 500),
    aFailure('UnknownError', 503),
    aFailure('SyntaxError', 200),
    aFailure('TimeoutError'),
  ])('is retryable for a transient failure: %s', (error) => {
    expect(judgeCall(error)).toMatchObject({ outcome: { status: 'failed', code: error.name }, isRetryable: true });
  });

  it.each([
    aFailure('AccessDeniedException', 400),
    aFailure('UnrecognizedClientException', 400),
    aFailure('UnknownError', 403),
    aFailure('ResourceNotFoundException', 400),
    aFailure('CredentialsProviderError'),
  ])('is failed and not retryable when the setup is wrong: %s', (error) => {
    expect(judgeCall(error)).toMatchObject({ outcome: { status: 'failed', code: error.name }, isRetryable: false });
  });

  it('names a failed connection by its code', () => {
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

    expect(judgeCall(reset)).toMatchObject({ outcome: { code: 'ECONNRESET' }, isRetryable: true });
  });

  it('treats a thrown non-error as a transient failure', () => {
    expect(judgeCall(undefined)).toMatchObject({ outcome: { code: 'UnknownError' }, isRetryable: true });
  });

  it('leaves out a value that AWS repeats from the call', () => {
    const message = `1 validation error detected: Value '[{detail={"name":"Ada 'L'"}}]' at 'entries' failed to satisfy constraint`;

    const { outcome } = judgeCall(aFailure('ValidationException', 400, message));

    expect(outcome).toMatchObject({
      message: "1 validation error detected: Value at 'entries' failed to satisfy constraint",
    });
  });

  it('keeps 300 characters of a message', () => {
    expect(judgeCall(aFailure('InternalException', 500, 'x'.repeat(1_000)))).toMatchObject({
      outcome: { message: 'x'.repeat(300) },
    });
  });
});
