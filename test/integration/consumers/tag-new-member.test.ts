import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deliveredEvent } from '../../support/delivered-events.ts';
import { startEndpoint } from '../aws/aws-endpoint.ts';
import { stopServices } from '../membership/misbehaving-service.ts';
import { NAMES, NEW_CONTACT, NEW_MEMBERSHIP, ORGANISATION, startTagService } from './tag-service.ts';

const context = { getRemainingTimeInMillis: () => 10_000 };
const joined = deliveredEvent('MemberChanged', {
  actionKey: 'ContactCreated',
  organisationId: ORGANISATION,
  organisationMembershipId: NEW_MEMBERSHIP,
});

beforeEach(() => vi.spyOn(console, 'info').mockReturnValue());
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
  await stopServices();
});

/** The handler, with a secret that it reads over a real socket. */
async function createWorld(service: keyof typeof NAMES, environment: object = NAMES[service].environment) {
  const world = await startTagService(NAMES[service]);
  const aws = await startEndpoint();
  onTestFinished(async () => await aws.close());
  aws.begin(() => ({
    body: { VersionId: 'v1', SecretString: '{"username":"admin@example.org","password":"hush"}' },
  }));
  const variables = {
    MEMBERSHIP_BASE_URL: world.baseUrl,
    MEMBERSHIP_SECRET_ID: 'acme',
    ORGANISATION_ID: ORGANISATION,
    ACTION_KEYS: 'ContactCreated',
    TAG_NAME: 'New members',
    ...environment,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { handler } = await import('../../../functions/consumers/tag-new-member/handler.ts');
  return Object.assign(world, { handle: async (event: object) => await handler(event, context) });
}

describe.each(['long', 'short'] as const)('tag-new-member with records of %s names', (names) => {
  it('adds a new member to the tag once, also if the event comes again', async () => {
    const world = await createWorld(names);

    await world.handle(joined);
    await world.handle(joined);

    expect(world.added).toEqual([{ [NAMES[names].list]: [NEW_CONTACT] }]);
    expect(world.members).toContain(NEW_CONTACT);
    expect(vi.mocked(console.info).mock.calls).toEqual([
      [{ id: joined.detail.metadata.id, outcome: 'tagged' }],
      [{ id: joined.detail.metadata.id, outcome: 'already tagged' }],
    ]);
  });

  it('ignores other actions and types without a request', async () => {
    const world = await createWorld(names);

    await world.handle(deliveredEvent('MemberChanged', { actionKey: 'ContactUpdated' }));
    await world.handle(deliveredEvent('PaymentChanged', { actionKey: 'ContactCreated' }));

    expect(world.received).toEqual([]);
  });

  it('rejects for a missing tag or contact, so that the event is retried', async () => {
    const world = await createWorld(names);
    const stranger = deliveredEvent('MemberChanged', {
      actionKey: 'ContactCreated',
      organisationMembershipId: '00000000-0000-4000-8000-0000000000ff',
    });
    world.hasTag = false;

    await expect(world.handle(joined)).rejects.toThrow('There is no tag New members');
    await expect(world.handle(stranger)).rejects.toThrow('No contact with an id has this membership');
    expect(world.added).toEqual([]);
  });
});

it.each(['long', 'short'] as const)('wrong names of fields are reported for records of %s names', async (names) => {
  const world = await createWorld(names, NAMES[names === 'long' ? 'short' : 'long'].environment);

  await expect(world.handle(joined)).rejects.toThrow('No contact with an id');
  expect(world.added).toEqual([]);
});
