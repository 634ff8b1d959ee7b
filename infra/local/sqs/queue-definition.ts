// A queue as the template defines it.
import { checkMembers } from '../cloudformation/known-properties.ts';
import type { Resource } from '../cloudformation/template.ts';

export type QueueDefinition = {
  name: string;
  arn: string;
  /** How long messages are kept. */
  retentionMs: number;
  /** How long a received message stays invisible by default. */
  visibilityMs: number;
  delayMs: number;
  /** How long a receiver waits for a message by default. */
  waitMs: number;
  maximumBytes: number;
  /** Where a message goes after that many receives; null if it stays. */
  redrive: { deadLetterArn: string; maxReceives: number } | null;
};

/** SQS's defaults, in seconds and bytes. */
const DEFAULTS = {
  MessageRetentionPeriod: 345_600,
  VisibilityTimeout: 30,
  DelaySeconds: 0,
  ReceiveMessageWaitTimeSeconds: 0,
  MaximumMessageSize: 1_048_576,
};

export function toQueue({ name, arn, properties }: Resource): QueueDefinition {
  const numberOf = (property: keyof typeof DEFAULTS): number => Number(properties[property] ?? DEFAULTS[property]);
  return {
    name,
    arn,
    retentionMs: numberOf('MessageRetentionPeriod') * 1000,
    visibilityMs: numberOf('VisibilityTimeout') * 1000,
    delayMs: numberOf('DelaySeconds') * 1000,
    waitMs: numberOf('ReceiveMessageWaitTimeSeconds') * 1000,
    maximumBytes: numberOf('MaximumMessageSize'),
    redrive: toRedrive(properties['RedrivePolicy'], name),
  };
}

function toRedrive(policy: unknown, name: string): QueueDefinition['redrive'] {
  if (policy === undefined) return null;
  const { deadLetterTargetArn, maxReceiveCount, ...more } = policy as Record<string, unknown>;
  checkMembers(more, [], `the redrive policy of ${name}`);
  return { deadLetterArn: String(deadLetterTargetArn), maxReceives: Number(maxReceiveCount) };
}
