// What SQS makes of the parameters of a call, and how it refuses them.
import { AwsRefusal } from '../cloud/aws-call.ts';

type Input = Record<string, unknown>;

/** Names that an error had in the protocol before JSON, where it is another one; clients are told both. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
  InvalidParameterValueException: 'InvalidParameterValue',
  MissingRequiredParameterException: 'MissingParameter',
};

export function sqsRefusal(type: string, message: string): AwsRefusal {
  return new AwsRefusal(type, message, { 'x-amzn-query-error': `${OLD_NAMES[type] ?? type};Sender` });
}

export function invalidParameter(message: string): AwsRefusal {
  return sqsRefusal('InvalidParameterValueException', message);
}

export function missingParameter(name: string): AwsRefusal {
  return sqsRefusal('MissingRequiredParameterException', `The request must contain the parameter ${name}.`);
}

/** A whole number inside its limits, or the fallback where it is absent. */
export function wholeNumber(
  input: Input,
  name: string,
  { least, most, fallback }: { least: number; most: number; fallback: number },
): number {
  const { [name]: value = fallback } = input;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidParameter(
    `Value ${JSON.stringify(value)} for parameter ${name} is invalid. Reason: Must be between ${least} and ${most}, if provided.`,
  );
}

export type Deletion = { Id: string; ReceiptHandle?: unknown };

const MOST_IN_BATCH = 10;

/** The entries of a batch. Throws the refusal of the batch as a whole: none, more than ten, two of one id. */
export function readDeletions({ Entries: entries }: Input): Deletion[] {
  if (!Array.isArray(entries) || entries.length === 0)
    throw sqsRefusal(
      'EmptyBatchRequest',
      'There should be at least one DeleteMessageBatchRequestEntry in the request.',
    );
  if (entries.length > MOST_IN_BATCH)
    throw sqsRefusal(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${MOST_IN_BATCH}. You have sent ${entries.length}.`,
    );
  const deletions = entries as Deletion[];
  const repeated = deletions.find(({ Id }, index) => deletions.findIndex((other) => other.Id === Id) < index);
  if (repeated !== undefined) throw sqsRefusal('BatchEntryIdsNotDistinct', `Id ${repeated.Id} repeated.`);
  return deletions;
}
