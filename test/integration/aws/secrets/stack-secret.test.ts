// The secret of a source of cdk.json, whose name only CloudFormation knows: how it is found.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSecretsManagerClient } from '../../../../functions/aws/clients.ts';
import { createBoundCredentialsReader } from '../../../../functions/aws/secrets/bound-credentials.ts';
import { SECRET_TAG, secretOfStack } from '../../../../functions/source/fixed-names.ts';
import { refusalOf } from '../../../support/refusal.ts';
import { type Endpoint, startEndpoint } from '../aws-endpoint.ts';

const LOGICAL_ID = 'CredentialsacmeSecretBAAB8107';
let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await startEndpoint();
});

afterAll(() => endpoint.close());

type Listed = { name: string; environment?: string; createdAt?: number };

const listed = ({ name, environment = 'MembershipBridge', createdAt = 1 }: Listed) => ({
  ARN: `arn:${name}`,
  Name: name,
  CreatedDate: createdAt,
  Tags: [{ Key: SECRET_TAG, Value: environment }],
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

it('is the newest whose name begins with the logical id, with the tag of the environment, on any page', async () => {
  const secret = reader(
    [
      { name: `${LOGICAL_ID}-removed`, createdAt: 1 },
      { name: `Old${LOGICAL_ID}-x`, createdAt: 8 },
    ],
    [
      { name: `${LOGICAL_ID}-present`, createdAt: 2 },
      { name: `${LOGICAL_ID}-test`, createdAt: 9, environment: 'MembershipBridge-test' },
    ],
  );

  await secret.read();
  await secret.read();

  expect(readOnes().map(({ body }) => body['SecretId'])).toEqual([
    `arn:${LOGICAL_ID}-present`,
    `arn:${LOGICAL_ID}-present`,
  ]);
  // Once, and then for the second page.
  expect(endpoint.calls.filter(({ operation }) => operation === 'ListSecrets')).toHaveLength(2);
});

it('is unreadable, and asked for again, where there is none: the list of AWS may be minutes old', async () => {
  const refusal = await refusalOf(reader([]).read());

  expect(refusal).toMatchObject({ code: 'CredentialsUnreadable', retryable: true });
  expect(refusal.message).toContain(`${SECRET_TAG} = MembershipBridge`);
  expect(readOnes()).toEqual([]);
});
