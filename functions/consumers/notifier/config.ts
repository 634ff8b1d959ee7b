// The notifier's configuration: its channels, written beside its code because an environment has at most 4 KB, and the
// environment, which has what is known after a deployment only. Holds names of secrets, never secrets.
import * as z from 'zod/mini';
import { isTimeZone } from '../../membership/time-zone.ts';
import { BridgeError } from '../../shared/errors.ts';
import { choiceInput, objectInput, patternInput, readInput, textInput } from '../../shared/checked-input.ts';
import { isLoopback } from '../../shared/loopback.ts';
import { LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import { channelInput, type ChannelKind, type KindSettings } from './channels/kinds.ts';
import { CHANNELS_FILE } from './code-layout.ts';
import type { ReadOptions } from './what-to-say/change.ts';
import type { Wording } from './what-to-say/phrasebook.ts';
import { readingShape, weekdayInput, wordingShape, type Weekday } from './wording.ts';
import { plainJsonIn } from '../../shared/plain-json.ts';

/** Variables that the infrastructure writes, in addition to those of the AWS SDK such as `AWS_ENDPOINT_URL`. */
export type NotifierEnvironment = {
  /** The names of the channels' queues, in the order of the channels, with commas between them. */
  NOTIFIER_QUEUES: string;
  /** Address and ARN of one of them. Those of the others differ in the name. */
  NOTIFIER_QUEUE_URL: string;
  NOTIFIER_QUEUE_ARN: string;
  /** A table with the key `id` and the time-to-live attribute `expiresAt`. */
  NOTIFIER_TABLE_NAME: string;
  /** Default: INFO. */
  LOG_LEVEL?: LogLevel;
};

/** Settings of every channel. */
type CommonChannel = {
  /** Lower-case letters, digits and hyphens; begins with a letter; at most 31 characters. */
  name: string;
  queueUrl: string;
  /** Identifies the channel in an SQS event. */
  queueArn: string;
  /** The name of the secret with `{ "url": "…" }`, which is named after the queue. Not every channel has one. */
  secretId: string;
  /** IANA name. Messages show instants in this zone. */
  timeZone: string;
  /** `immediate`: the queue invokes the function. `digest`: a schedule does, with `{ "drain": "<name>" }`. */
  delivery: 'immediate' | 'digest';
  /** The address behind a member's name, with `{organisationMembershipId}`. Default: no link. */
  links?: { member?: string };
  /** The day of the week of a digest, by its name in English. Default: every day. */
  digestOn?: Weekday;
  /** Those of its rule, for the preview of a digest. */
  detailTypes?: string[];
  /** Wildcards on the action key; those with `!` exclude. Default: all. */
  actionKeys?: string[];
  /** BCP 47. Default: en-GB. */
  locale?: string;
} & ReadOptions &
  Wording;

/** Each kind of channel with its settings. */
export type ChannelsByKind = { [Kind in ChannelKind]: CommonChannel & KindSettings<Kind> };

export type NotifierChannel = ChannelsByKind[ChannelKind];

/** Distributes over the kinds. */
type Unplaced<Channel> = Channel extends unknown ? Omit<Channel, 'queueUrl' | 'queueArn' | 'secretId'> : never;

/** A channel without its place in AWS. */
export type WrittenChannel = Unplaced<NotifierChannel>;

export type NotifierConfig = {
  channels: readonly NotifierChannel[];
  tableName: string;
  logLevel: LogLevel;
};

/** Replaced in a link by the encoded id of the membership. */
export const MEMBER_IN_LINK = '{organisationMembershipId}';

const link = textInput(`an https address with ${MEMBER_IN_LINK} in it`, (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) throw new RangeError('is not an https address');
  // A member's id must not choose the host of a link.
  if (url.host.includes('{') || url.username !== '' || url.password !== '')
    throw new RangeError('has the member or credentials in the name of the host');
  if (!text.includes(MEMBER_IN_LINK)) throw new RangeError('has no place for the member');
});

const zone = textInput('the IANA name of the organisation\'s zone, such as "Europe/Amsterdam"', (text) => {
  if (!isTimeZone(text)) throw new RangeError('is not a time zone that this runtime knows');
});

const common = {
  name: patternInput('lower-case letters, digits and hyphens, a letter first, at most 31', /[a-z][a-z0-9-]{0,30}/),
  queueUrl: textInput("the address of the channel's queue"),
  queueArn: textInput("the ARN of the channel's queue"),
  secretId: textInput("the name of the channel's secret"),
  timeZone: zone,
  delivery: choiceInput(['immediate', 'digest']),
  links: z.optional(objectInput({ member: z.optional(link) })),
  digestOn: z.optional(weekdayInput),
  detailTypes: z.optional(z.array(textInput('a detail type'))),
  ...readingShape,
  ...wordingShape,
};

const channels = z
  .array(channelInput(common), { error: 'is not a list; write a list of channels' })
  .check(({ value, issues }) => {
    for (const field of ['name', 'queueArn'] as const)
      for (const [index, channel] of value.entries())
        if (value.findIndex((other) => other[field] === channel[field]) < index)
          issues.push({
            code: 'custom',
            input: value,
            path: [index, field],
            message: 'is that of another channel, too; write a unique one',
          });
  });

// Not strict: an environment always holds variables that are not ours.
const environment = z.object({
  NOTIFIER_QUEUES: textInput('the names of the queues, with commas between them'),
  NOTIFIER_QUEUE_URL: textInput('the address of one of the queues'),
  NOTIFIER_QUEUE_ARN: textInput('the ARN of the same queue'),
  NOTIFIER_TABLE_NAME: textInput('the name of the DynamoDB table of sent events'),
  LOG_LEVEL: z._default(choiceInput(LOG_LEVELS), 'INFO'),
});

/**
 * Reads the environment and the text of the file of channels. Throws one InvalidEnvironment whose message lists every
 * problem of the one or the other.
 */
export function readNotifierConfig(
  env: Readonly<Record<string, string | undefined>>,
  channelsText: string,
): NotifierConfig {
  const code = 'InvalidEnvironment';
  const read = readInput(environment, env, { code, subject: "The notifier's environment" });
  const placed = place(plainJsonIn(channelsText), read);
  return {
    channels: readInput(channels, placed, { code, subject: `The notifier's ${CHANNELS_FILE}` }),
    tableName: read.NOTIFIER_TABLE_NAME,
    logLevel: read.LOG_LEVEL,
  };
}

/** Each channel with its queue and its secret. What is no list of objects stays as it is, and is refused later. */
function place(written: unknown, env: z.output<typeof environment>): unknown {
  const queues = env.NOTIFIER_QUEUES.split(',');
  if (!Array.isArray(written)) return written;
  return written.map((channel: unknown, index) => {
    const name = queues[index] ?? '';
    if (typeof channel !== 'object' || channel === null) return channel;
    return { ...channel, ...placeOf(name, env) };
  });
}

function placeOf(name: string, { NOTIFIER_QUEUE_URL: url, NOTIFIER_QUEUE_ARN: arn }: z.output<typeof environment>) {
  if (name === '') return { queueUrl: '', queueArn: '', secretId: '' };
  return { queueUrl: url.replace(/[^/]*$/, name), queueArn: arn.replace(/[^:]*$/, name), secretId: name };
}

/** The channel with a name or queue. Throws InvalidEnvironment: the invoker and the environment do not match. */
export function channelOf(config: NotifierConfig, by: { name: unknown } | { queueArn: unknown }): NotifierChannel {
  const found = config.channels.find((channel) =>
    'name' in by ? channel.name === by.name : channel.queueArn === by.queueArn,
  );
  if (found !== undefined) return found;
  const [[what, value] = []] = Object.entries(by);
  throw new BridgeError(
    'InvalidEnvironment',
    `No channel of the notifier has the ${what} ${String(value)}. Deploy the stack again, so that the function and its queues match.`,
    { retryable: false },
  );
}
