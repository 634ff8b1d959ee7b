// What a dead letter holds: Lambda's record of an invocation that failed, or an event that could not be delivered.
// Sources: "Capturing records of Lambda asynchronous invocations", "Using dead-letter queues to process undelivered
// events" (EventBridge).
import type { ReceivedLetter } from '../bridge/ports.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, textIn, toJson } from '../../shared/json.ts';
import { secondOf } from '../terminal/text-layout.ts';

export type DeadLetter = {
  id: string;
  /** When it reached the queue, ISO 8601. */
  at: string;
  /** Of the event; null where the letter holds none. */
  detailType: string | null;
  eventId: string | null;
  /** The name of the failure, such as `TypeError`. Its message may hold members' data: only `details` has it. */
  failure: string;
};

/** With members' data. */
export type DeadLetterDetails = DeadLetter & { message: string | null; event: JsonValue };

/** The text of the event, with its numbers as they were written; null for what is no event. */
export function eventTextOf({ body }: Pick<ReceivedLetter, 'body'>): string | null {
  const read = readBody(body);
  return read?.event === undefined || !isJsonObject(read.event) ? null : read.isRecord ? toJson(read.event) : body;
}

export function toLetter(letter: ReceivedLetter): DeadLetter {
  const { message: _message, event: _event, ...rest } = toDetails(letter);
  return rest;
}

export function toDetails({ id, body, attributes, sentAt }: ReceivedLetter): DeadLetterDetails {
  const read = readBody(body);
  const event = read?.event ?? null;
  const failure = read?.failure ?? {};
  return {
    id,
    at: secondOf(sentAt),
    detailType: textIn(event, '/detail-type'),
    eventId: textIn(event, '/detail/metadata/id'),
    failure: textIn(failure, '/errorType') ?? attributes['ERROR_CODE'] ?? 'received too often',
    message: textIn(failure, '/errorMessage') ?? attributes['ERROR_MESSAGE'] ?? null,
    event: event ?? body,
  };
}

type Read = { event: JsonValue | undefined; isRecord: boolean; failure: JsonObject };

/** Null for what is not JSON. */
function readBody(body: string): Read | null {
  try {
    const value = parseJson(body);
    if (!isJsonObject(value) || !('requestContext' in value) || !('requestPayload' in value))
      return { event: value, isRecord: false, failure: {} };
    const { requestPayload: event, responsePayload } = value;
    return { event, isRecord: true, failure: isJsonObject(responsePayload) ? responsePayload : {} };
  } catch {
    return null;
  }
}
