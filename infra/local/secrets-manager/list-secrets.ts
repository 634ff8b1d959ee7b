// ListSecrets and DescribeSecret. Source: the API reference of Secrets Manager.
import { AwsRefusal } from '../platform/aws-call.ts';
import { pageOf } from '../platform/page-of.ts';
import { Unsupported } from '../platform/unsupported.ts';
import type { Secret } from './secret-versions.ts';

type Filter = { Key: string; Values: string[] };

const PAGES = { most: 100, refusal: { size: 'InvalidParameterException', token: 'InvalidNextTokenException' } };

/** What each filter compares with the beginnings that it asks for. */
const TEXTS: Readonly<Record<string, (secret: Secret) => string[]>> = {
  name: ({ name }) => [name],
  description: ({ description }) => (description === null ? [] : [description.toLowerCase()]),
  'tag-key': ({ tags }) => Object.keys(tags),
  'tag-value': ({ tags }) => Object.values(tags),
};

/** A secret that is being deleted is listed only with IncludePlannedDeletion. Those made first come first. */
export function listSecrets(secrets: readonly Secret[], input: Record<string, unknown>): unknown {
  const { Filters = [], IncludePlannedDeletion = false, SortBy, SortOrder } = input;
  if ((SortBy ?? SortOrder) !== undefined)
    throw new Unsupported('SortBy and SortOrder of ListSecrets', 'secrets-manager/list-secrets.ts');
  const filters = (Filters as Filter[]).map(toFilter);
  const found = secrets.filter(
    (secret) =>
      (secret.deletion === null || IncludePlannedDeletion === true) && filters.every((holds) => holds(secret)),
  );
  const keyOf = ({ createdAt, arn }: Secret): string => `${String(createdAt).padStart(15, '0')} ${arn}`;
  const { page, ...more } = pageOf(found, input, { ...PAGES, keyOf });
  const SecretList = page.map((secret) => ({
    ...summarise(secret),
    SecretVersionsToStages: stagesOf(secret),
    ...(secret.deletion === null ? {} : { DeletedDate: secret.deletion.at / 1_000 }),
  }));
  return { SecretList, ...more };
}

/** By its documentation this has the date of the end of a deletion, and the list that of its beginning. */
export function describeSecret(secret: Secret): unknown {
  const { deletion } = secret;
  const dates = deletion === null ? {} : { DeletedDate: deletion.until / 1_000 };
  return { ...summarise(secret), VersionIdsToStages: stagesOf(secret), ...dates };
}

/** One of the values has to hold; an exclamation mark turns one round. */
function toFilter({ Key, Values }: Filter): (secret: Secret) => boolean {
  const textsOf = TEXTS[Key];
  if (textsOf === undefined)
    throw new Unsupported(`the filter ${Key} of ListSecrets`, 'secrets-manager/list-secrets.ts');
  if (Values.length === 0) throw new AwsRefusal('InvalidParameterException', `The filter ${Key} needs a value.`);
  return (secret) =>
    Values.some((value) => {
      const isNot = value.startsWith('!');
      const wanted = isNot ? value.slice(1) : value;
      const beginning = Key === 'description' ? wanted.toLowerCase() : wanted;
      return textsOf(secret).some((text) => text.startsWith(beginning)) !== isNot;
    });
}

function summarise({ arn, name, description, tags, createdAt, changedAt }: Secret): object {
  return {
    ARN: arn,
    Name: name,
    ...(description === null ? {} : { Description: description }),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    CreatedDate: createdAt / 1_000,
    LastChangedDate: changedAt / 1_000,
  };
}

function stagesOf({ versions }: Secret): object {
  return Object.fromEntries(versions.map(({ id, stages }) => [id, stages]));
}
