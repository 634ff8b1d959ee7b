import { describe, expect, test } from 'vitest';
import { eventTextOf, toDetails, toLetter } from '../../../../functions/operator/dead-letters/letter.ts';

const EVENT =
  '{"detail-type":"MemberChanged","detail":{"metadata":{"id":"e-1"},"data":{"logId":12345678901234567890,"name":"Ada"}}}';
const RECORD = `{"version":"1.0","requestContext":{"functionArn":"f"},"requestPayload":${EVENT},"responsePayload":{"errorType":"TypeError","errorMessage":"Ada has no mail"}}`;
const letter = (body: string, attributes = {}) => ({
  id: 'l-1',
  receipt: 'r',
  body,
  attributes,
  sentAt: Date.parse('2026-11-20T10:00:00Z'),
});

describe('a dead letter', () => {
  test.each([
    ["Lambda's record of a failed invocation", letter(RECORD), 'TypeError', 'Ada has no mail'],
    [
      'an event that EventBridge could not deliver',
      letter(EVENT, { ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'no' }),
      'NO_PERMISSIONS',
      'no',
    ],
    ['an event that was received too often', letter(EVENT), 'received too often', null],
  ])('is read where it is %s: the event keeps the digits of its numbers', (_what, received, failure, message) => {
    expect(eventTextOf(received)).toBe(EVENT);
    expect(toDetails(received)).toMatchObject({
      id: 'l-1',
      at: '2026-11-20T10:00:00Z',
      detailType: 'MemberChanged',
      eventId: 'e-1',
      failure,
      message,
    });
    expect(JSON.stringify(toDetails(received))).toContain('12345678901234567890');
  });

  test("is listed without members' data: neither the event nor the failure's message", () => {
    expect(JSON.stringify(toLetter(letter(RECORD)))).not.toMatch(/Ada|12345678901234567890/);
  });

  test.each(['', 'no JSON', '7', '"text"', '[]'])('without an event is kept and shown as it is: %s', (body) => {
    expect(eventTextOf(letter(body))).toBeNull();
    expect(toDetails(letter(body))).toMatchObject({ detailType: null, eventId: null });
  });
});
