import { describe, expect, test } from 'vitest';
import { deliveryAttributes, invocationRecord } from '../../../../../infra/local/lambda/dead-letters.ts';
import { md5OfAttributes, messageBytes, pickAttributes } from '../../../../../infra/local/sqs/message-attributes.ts';

const throttled = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };

describe('letter of a rule', () => {
  const delivery = { ruleArn: 'rule', targetArn: 'target', error: throttled, failures: 3 };

  test('names rule, target, error, the limit that was reached and the number of retries', () => {
    const attributes = deliveryAttributes({ ...delivery, condition: 'MaximumRetryAttempts' });

    expect(attributes).toEqual({
      RULE_ARN: { DataType: 'String', StringValue: 'rule' },
      TARGET_ARN: { DataType: 'String', StringValue: 'target' },
      ERROR_CODE: { DataType: 'String', StringValue: 'THROTTLING' },
      ERROR_MESSAGE: { DataType: 'String', StringValue: 'Rate Exceeded.' },
      EXHAUSTED_RETRY_CONDITION: { DataType: 'String', StringValue: 'MaximumRetryAttempts' },
      RETRY_ATTEMPTS: { DataType: 'String', StringValue: '2' },
    });
  });

  test('names no limit if none was reached', () => {
    const attributes = deliveryAttributes({ ...delivery, condition: null });

    expect(attributes).not.toHaveProperty('EXHAUSTED_RETRY_CONDITION');
  });
});

describe('record of a failed invocation', () => {
  const invocation = {
    requestId: 'request',
    functionArn: 'arn:aws:lambda:eu-central-1:1:function:tell',
    qualifier: 'live',
    condition: 'RetriesExhausted',
    failures: 3,
    payload: '{"detail":{"id":9007199254740993}}',
    error: { errorType: 'TypeError', errorMessage: 'no name', code: 'own' },
    now: 0,
  } as const;

  test("is Lambda's, with the event's own text, so that every number stays exact", () => {
    const text = invocationRecord(invocation);

    expect(text).toContain('"requestPayload":{"detail":{"id":9007199254740993}},');
    expect(JSON.parse(text)).toMatchObject({
      version: '1.0',
      timestamp: '1970-01-01T00:00:00.000Z',
      requestContext: {
        requestId: 'request',
        functionArn: 'arn:aws:lambda:eu-central-1:1:function:tell:live',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 3,
      },
      responseContext: { statusCode: 200, executedVersion: '1', functionError: 'Unhandled' },
      responsePayload: { errorType: 'TypeError', errorMessage: 'no name' },
    });
    expect(Object.keys(JSON.parse(text) as object)).toHaveLength(6);
  });

  test('names the latest version if the function itself was invoked', () => {
    const { requestContext, responseContext } = JSON.parse(
      invocationRecord({ ...invocation, qualifier: null }),
    ) as Record<string, { functionArn?: string; executedVersion?: string }>;

    expect(requestContext?.functionArn).toMatch(/:tell:\$LATEST$/);
    expect(responseContext?.executedVersion).toBe('$LATEST');
  });
});

describe('attributes of a message', () => {
  const attributes = {
    RULE_ARN: { DataType: 'String', StringValue: 'é' },
    Blob: { DataType: 'Binary', BinaryValue: 'AP8=' },
    Count: { DataType: 'Number', StringValue: '3' },
  };

  test("have SQS's checksum, in any order", () => {
    const reversed = Object.fromEntries(Object.entries(attributes).toReversed());

    expect(md5OfAttributes(attributes)).toBe('9b723d361e257d706e4b16c2d5e72607');
    expect(md5OfAttributes(reversed)).toBe('9b723d361e257d706e4b16c2d5e72607');
  });

  test.each([
    [['All'], ['RULE_ARN', 'Blob', 'Count']],
    [['Count', 'Other'], ['Count']],
    [['RULE.*', 'Counts.*'], ['RULE_ARN']],
    [['.*'], ['RULE_ARN', 'Blob', 'Count']],
    [[], []],
  ])('are returned as requested: %j', (wanted, names) => {
    expect(Object.keys(pickAttributes(attributes, wanted))).toEqual(names);
  });

  test('count towards the size of a message with name, type and value', () => {
    expect(messageBytes('é', {})).toBe(2);
    expect(messageBytes('', attributes)).toBe(
      'RULE_ARNString'.length + 2 + 'BlobBinary'.length + 2 + 'CountNumber3'.length,
    );
  });
});
