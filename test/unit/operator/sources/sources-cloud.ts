// A bridge whose schedules, secrets and added sources are in memory. Its calls can take time, or end a command.
import type { BoundCredentials, WholeBinding } from '../../../../functions/source/binding.ts';
import type {
  OperatorCloud,
  OperatorTable,
  StackResource,
  StackSummary,
} from '../../../../functions/operator/bridge/ports.ts';
import { Problem } from '../../../../functions/shared/problem.ts';
import { secretOfStack } from '../../../../functions/source/fixed-names.ts';
import type { SourceSchedule } from '../../../../functions/source/schedules.ts';
import { BRIDGE, memoryCloud, stacksNamed } from '../a-bridge.ts';

const { stackName: STACK, region, accountId } = BRIDGE;
export const DATA = `${STACK}-Data`;
export const GROUP = `${STACK}-sources`;
export const ROLE = `arn:aws:iam::${accountId}:role/${STACK}-schedules-${region}`;

export const arnOf = (name: string): string => `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-AbCdEf`;

export const scheduleOf = (sourceId: string, more: object = {}, of: Partial<SourceSchedule> = {}): SourceSchedule => ({
  sourceId,
  isEnabled: true,
  expression: 'rate(1 minute)',
  targetArn: BRIDGE.pollerArn,
  roleArn: ROLE,
  input: JSON.stringify({
    sourceId,
    baseUrl: 'https://api.example.org',
    timeZone: 'UTC',
    secretId: arnOf(sourceId),
    ...more,
  }),
  ...of,
});

type Secret = { name: string; createdAt: number; isTagged: boolean; versionId: number; stored: BoundCredentials };

/** `acme` is of cdk.json, with the secret `acme-secret` of the data stack. */
export function sourcesCloud({
  latencyMs = 0,
  rules = {},
}: { latencyMs?: number; rules?: Record<string, string> } = {}) {
  const schedules = new Map<string, SourceSchedule>();
  const deployed: StackResource[] = [];
  const items = new Map<string, string>();
  const secrets = new Map<string, Secret>();
  const calls: string[] = [];
  const world = {
    schedules,
    items,
    secrets,
    calls,
    deployed,
    latencyMs,
    /** After this call the command is dead: no other comes through, until this is null. */
    diesAt: null as string | null,
    isDead: false,
    /** Calls that AWS refuses, such as `create bee`. */
    refused: new Set<string>(),
    deployment: undefined as StackSummary['deployment'],
    /** Calls under way, and the most of them. */
    load: { now: 0, most: 0 },
  };
  /** What every call to the cloud costs. */
  const call = async <Result>(name: string, answer: () => Result, of = ''): Promise<Result> => {
    world.isDead &&= world.diesAt !== null;
    if (world.isDead) throw new Error('killed before');
    calls.push(name);
    world.load.now += 1;
    world.load.most = Math.max(world.load.most, world.load.now);
    if (world.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, world.latencyMs));
    world.load.now -= 1;
    if (world.refused.has(`${name} ${of}`)) throw new Problem(`AWS refuses ${name}.`);
    const result = answer();
    world.isDead = name === world.diesAt;
    if (world.isDead) throw new Error(`killed at ${name}`);
    return await Promise.resolve(result);
  };
  const deploy = (sourceId: string): void => {
    deployed.push({ type: 'AWS::Scheduler::Schedule', logicalId: `S${sourceId}`, physicalId: sourceId });
    schedules.set(sourceId, scheduleOf(sourceId, { secretId: secretOfStack(DATA, `Secret${sourceId}`) }));
  };
  const store = (
    name: string,
    {
      username = 'anna',
      password = 'geheim',
      binding,
    }: { username?: string; password?: string; binding: WholeBinding | null },
  ) =>
    secrets.set(arnOf(name), {
      name,
      createdAt: 0,
      isTagged: true,
      versionId: 1,
      stored: {
        versionId: '1',
        credentials: { username, password },
        binding: binding ?? { baseUrl: null, sources: null },
      },
    });
  const found = (secretId: string): Secret => {
    const secret = secrets.get(secretId) ?? [...secrets.values()].find(({ name }) => name === secretId);
    if (secret === undefined) throw new Error(`no secret ${secretId}`);
    return secret;
  };
  const put = (schedule: SourceSchedule, isThere: boolean): void => {
    if (schedules.has(schedule.sourceId) !== isThere) throw new Problem('Somebody has just made or removed it.');
    schedules.set(schedule.sourceId, schedule);
  };
  const putSecret = (secretId: string, stored: Omit<BoundCredentials, 'versionId'>): void => {
    const secret = found(secretId);
    secret.versionId += 1;
    secret.stored = { ...stored, versionId: String(secret.versionId) };
  };
  deploy('acme');
  const answers: Partial<OperatorCloud> = {
    readStacks: async () =>
      await call('readStacks', () =>
        stacksNamed(STACK).map((stack) =>
          stack.name === STACK
            ? { ...stack, outputs: { ...stack.outputs, ...rules }, deployment: world.deployment }
            : stack,
        ),
      ),
    readResources: async (name) =>
      await call('readResources', () => {
        if (name === STACK) return deployed;
        return deployed.map(({ physicalId }) => ({
          type: 'AWS::SecretsManager::Secret',
          logicalId: `Secret${physicalId}`,
          physicalId: arnOf(`Secret${physicalId}`),
        }));
      }),
    openSchedules: () => ({
      list: async () =>
        await call('list', () =>
          [...schedules.values()].map(({ sourceId, isEnabled, targetArn }) => ({
            sourceId,
            isEnabled,
            targetArn,
            createdAt: 0,
            changedAt: 0,
          })),
        ),
      read: async (sourceId) => await call('read', () => schedules.get(sourceId) ?? null),
      create: async (schedule) => await call('create', () => put(schedule, false), schedule.sourceId),
      replace: async (schedule) => await call('replace', () => put(schedule, true), schedule.sourceId),
      remove: async (sourceId) => await call('removeSchedule', () => void schedules.delete(sourceId), sourceId),
    }),
    readCredentials: async (secretId) => await call('readCredentials', () => found(secretId).stored),
    writeCredentials: async (secretId, credentials, binding) =>
      await call('writeCredentials', () => putSecret(secretId, { credentials, binding })),
    bindSecret: async (secretId, { binding }) =>
      await call('bindSecret', () => putSecret(secretId, { ...found(secretId).stored, binding })),
    listSecrets: async () =>
      await call('listSecrets', () =>
        [...secrets].flatMap(([arn, { name, createdAt, isTagged }]) => (isTagged ? [{ arn, name, createdAt }] : [])),
      ),
    createSecret: async ({ name, credentials, binding }) =>
      await call('createSecret', () => {
        if (secrets.has(arnOf(name))) throw new Problem(`There is a secret ${name}.`);
        store(name, { ...credentials, binding });
        return arnOf(name);
      }),
    deleteSecret: async (secretId) => await call('deleteSecret', () => void secrets.delete(secretId)),
  };
  const { cloud, history } = memoryCloud(answers);
  const table = cloud.openTable('state');
  const added: OperatorTable['added'] = {
    list: async () =>
      await call('listItems', () =>
        [...items].map(([sourceId, token]) => ({ sourceId, token, added: JSON.parse(token) as never })),
      ),
    write: async (sourceId, record, token) =>
      await call(
        'writeItem',
        () => {
          if ((items.get(sourceId) ?? null) !== token) return false;
          items.set(sourceId, JSON.stringify(record));
          return true;
        },
        sourceId,
      ),
    remove: async (sourceId) => await call('removeItem', () => void items.delete(sourceId)),
  };
  const sharedLogins = {
    read: async () => await Promise.resolve({ logins: { breaker: null }, token: null }),
    replace: async () => await call('countRefusal', () => ''),
  };
  const opened: OperatorCloud = { ...cloud, openTable: () => ({ ...table, added, sharedLogins }) };
  return { ...world, world, store, deploy, history, cloud: opened };
}
