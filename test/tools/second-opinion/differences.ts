// What differs between two answers to the same call.
import type { Answer, Call } from '../../../infra/local/platform/aws-call.ts';

export type Difference = { call: string; what: string; ours: string; theirs: string };

/** Names whose values are made by whoever answers; only whether they are there is compared. */
const OWN_VALUES =
  /^(?:ARN|Arn|CreatedDate|CreationTime|Date|EventId|LastAccessedDate|LastChangedDate|LastModifiedTime|MD5OfMessageAttributes|MessageId|NextContinuationToken|QueueUrl|ReceiptHandle|RequestId|VersionId|VersionIdsToStages)$/;

export function differencesOf(call: Pick<Call, 'service' | 'operation'>, ours: Answer, theirs: Answer): Difference[] {
  const name = `${call.service}.${call.operation}`;
  const differ = (what: string, left: unknown, right: unknown): Difference[] =>
    left === right ? [] : [{ call: name, what, ours: shown(left), theirs: shown(right) }];
  if (ours.status >= 400 || theirs.status >= 400)
    return [...differ('status', ours.status, theirs.status), ...differ('error', errorOf(ours), errorOf(theirs))];
  const status = differ('status', ours.status, theirs.status);
  if (call.service !== 's3') return [...status, ...inValues(name, '', jsonOf(ours), jsonOf(theirs))];
  if (call.operation === 'ListObjectsV2')
    return [
      ...status,
      ...differ('keys', keysIn(ours), keysIn(theirs)),
      ...differ('more', moreIn(ours), moreIn(theirs)),
    ];
  return [
    ...status,
    ...differ('ETag', ours.headers?.['etag'], theirs.headers?.['etag']),
    ...differ('body', textOf(ours), textOf(theirs)),
  ];
}

/** Compares two outputs of an SDK. */
export function differencesIn(call: string, ours: unknown, theirs: unknown): Difference[] {
  return inValues(call, '', ours, theirs);
}

function inValues(call: string, path: string, ours: unknown, theirs: unknown): Difference[] {
  if (isObject(ours) && isObject(theirs))
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].toSorted().flatMap((key) => {
      if (OWN_VALUES.test(key) && key in ours && key in theirs) return [];
      return inValues(call, `${path}.${Array.isArray(ours) ? '[]' : key}`, ours[key], theirs[key]);
    });
  return Object.is(ours, theirs) ? [] : [{ call, what: path, ours: shown(ours), theirs: shown(theirs) }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value).slice(0, 120);
}

function jsonOf({ body }: Answer): unknown {
  return body === '' ? {} : (JSON.parse(body) as unknown);
}

/** The error's name, from the JSON, the header, or S3's XML. */
function errorOf({ status, body, headers }: Answer): string {
  if (status < 400) return 'none';
  const xml = /<Code>([^<]+)<\/Code>/.exec(body)?.[1];
  if (xml !== undefined) return xml;
  const { __type: type } = body.startsWith('{') ? (JSON.parse(body) as { __type?: string }) : {};
  return (type ?? headers?.['x-amzn-errortype'] ?? '(without a name)').replace(/^.*#/, '').replace(/:.*$/, '');
}

function textOf({ bytes, body }: Answer): string {
  return bytes === undefined ? body : Buffer.from(bytes).toString('base64');
}

function keysIn({ body }: Answer): string {
  return [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key).join(', ');
}

function moreIn({ body }: Answer): string {
  return /<IsTruncated>([^<]*)</.exec(body)?.[1] ?? '';
}
