// A Firehose stream as the template defines it: where its objects go, and how long it buffers.
import { checkMembers } from '../cloudformation/known-properties.ts';
import { Unsupported } from '../platform/unsupported.ts';
import type { Resource } from '../cloudformation/template.ts';

export type DeliveryStreamDefinition = {
  name: string;
  arn: string;
  bucketName: string;
  /** The prefix of its objects' keys. */
  prefix: string;
  /** An object is written at this age or this size, whichever comes first. */
  bufferMs: number;
  bufferBytes: number;
};

type Properties = Record<string, unknown>;

const BUCKET = 'ExtendedS3DestinationConfiguration';

/** No effect here: nothing fails, so there are no errors to store or log; and nothing checks permissions. */
const IGNORED = ['CloudWatchLoggingOptions', 'ErrorOutputPrefix', 'RoleARN'];
const FOLLOWED = ['BucketARN', 'BufferingHints', 'CompressionFormat', 'Prefix', 'ProcessingConfiguration'];

/** Firehose's defaults. */
const HINTS = { IntervalInSeconds: 300, SizeInMBs: 5 };

/** Throws Unsupported for what would change the objects: no gzip, no line breaks, a computed prefix. */
export function toDeliveryStream({ name, arn, properties }: Resource): DeliveryStreamDefinition {
  const { DeliveryStreamType: type = 'DirectPut' } = properties;
  if (type !== 'DirectPut') throw new Unsupported(`the type ${String(type)} of the stream ${name}`, FILE);
  const destination = (properties[BUCKET] ?? {}) as Properties;
  checkMembers(destination, [...FOLLOWED, ...IGNORED], `the destination of the stream ${name}`);
  const { BucketARN, CompressionFormat, Prefix = '' } = destination;
  const hints = { ...HINTS, ...(destination['BufferingHints'] as Partial<typeof HINTS> | undefined) };
  if (CompressionFormat !== 'GZIP') throw new Unsupported(`a stream without gzip (${name})`, FILE);
  if (String(Prefix).includes('!{')) throw new Unsupported(`the computed prefix of the stream ${name}`, FILE);
  checkProcessors(destination['ProcessingConfiguration'], name);
  return {
    name,
    arn,
    bucketName: String(BucketARN).replace(/^arn:[^:]*:s3:::/, ''),
    prefix: String(Prefix),
    bufferMs: hints.IntervalInSeconds * 1000,
    bufferBytes: hints.SizeInMBs * 1024 * 1024,
  };
}

const FILE = 'firehose/delivery-stream-definition.ts';

/** The line break makes an object NDJSON. */
function checkProcessors(configuration: unknown, stream: string): void {
  const { Enabled = false, Processors = [] } = (configuration ?? {}) as Properties;
  const [only = {}, ...others] = Processors as Properties[];
  const isLineEnds = only['Type'] === 'AppendDelimiterToRecord' && only['Parameters'] === undefined;
  if (Enabled !== true || !isLineEnds || others.length > 0)
    throw new Unsupported(`the processors of the stream ${stream}, which must be the line break alone`, FILE);
}
