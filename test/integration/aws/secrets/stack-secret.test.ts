// The secret of a source of cdk.json, whose name only CloudFormation knows: how it is found.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSecretsManagerClient } from '../../../../functions/aws/clients.ts';
import { createBoundCredentialsReader } from '../../../../functions/aws/secrets/bound-credentials.ts';
import { LOGICAL_ID_TAG, SECRET_TAG, secretOfStack } from '../../../../functions/source/fixed-names.ts';
import { refusalOf } from '../../../support/refusal.ts';
import { type Endpoint, startEndpoint } from '../aws-endpoint.ts';

const LOGICAL_ID = 'CredentialsacmeSecretBAAB8107';
const ASKED = [
  { Key: 'tag-key', Values: [LOGICAL_ID_TAG] },
  { Key: 'tag-value', Values: [LOGICAL_ID] },
];
let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await startEndpoint();
});

afterAll(() => endpoint.close());

type Listed = { name: string; environment?: string; logicalId?: string; createdAt?: number };

const listed = ({ name, environment = 'MembershipBridge', logicalId = LOGICAL_ID, createdAt = 1 }: Listed) => ({
  ARN: `arn:${name}`,
  Name: name,
  CreatedDate: createdAt,
  Tags: [
    { Key: 'Owner', Value: LOGICAL_ID },
    { Key: SECRET_TAG, Value: environment },
    { Key: LOGICAL_ID_TAG, Value: logicalId },
  ],
});

/** The pages of the list, then the value of whatever is read. Returns a reader of it. */
function reader(...pages: Listed[][]) {
  endpoint.begin(({ operation, body }) => {
    if (operation !== 'ListSecrets')
      return { body: { ARN: body['SecretId'], VersionId: 'v-1', SecretString: '{"username":"u","password":"p"}' } };
    const page = Number(body['NextToken'] ?? 0);
    const more = page + 1 < pages.length ? { NextToken: String(page + 1) } : {};
    return { body: { SecretList: (pages[page] ?? []).map(listed), ...more } };
  });
  const secretId = secretOfStack('MembershipBridge-Data', LOGICAL_ID);
  return createBoundCredentialsReader({ client: createSecretsManagerClient(), secretId });
}

const readOnes = () => endpoint.calls.filter(({ operation }) => operation === 'GetSecretValue');

it('is the newest with its logical id and environment as tags, whatever its name, on any page', async () => {
  const secret = reader(
    [
      { name: 'removed', createdAt: 1 },
      { name: 'longer', createdAt: 8, logicalId: `${LOGICAL_ID}x` },
    ],
    [
      { name: 'present', createdAt: 2 },
      { name: 'elsewhere', createdAt: 9, environment: 'MembershipBridge-test' },
    ],
  );

  await secret.read();
  await secret.read();

  expect(readOnes().map(({ body }) => body['SecretId'])).toEqual(['arn:present', 'arn:present']);
  // Once, and then for the second page.
  const lists = endpoint.calls.filter(({ operation }) => operation === 'ListSecrets');
  expect(lists.map(({ body }) => body['Filters'])).toEqual([ASKED, ASKED]);
});

it('is unreadable, and asked for again, where there is none: the list of AWS may be minutes old', async () => {
  const refusal = await refusalOf(reader([]).read());

  expect(refusal).toMatchObject({ code: 'CredentialsUnreadable', retryable: true });
  expect(refusal.message).toContain(`${SECRET_TAG} = MembershipBridge`);
  expect(readOnes()).toEqual([]);
});
