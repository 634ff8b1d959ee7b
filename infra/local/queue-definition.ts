// A queue as the template defines it.
import type { Resource } from './template.ts';

export type QueueDefinition = {
  name: string;
  arn: string;
  /** How long a message is kept. */
  retentionMs: number;
  /** How long a message that was handed out stays away, where the receiver says nothing. */
  visibilityMs: number;
  delayMs: number;
  /** How long a receiver waits for a message, where it says nothing. */
  waitMs: number;
  maximumBytes: number;
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
  };
}
