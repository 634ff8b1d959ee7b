// `credentials set|test|reset`: the username and password with which a source logs in.
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { Problem } from '../../shared/problem.ts';
import type { Bridge, BridgeSource } from '../bridge/bridge.ts';
import type { OperatorCloud } from '../bridge/ports.ts';
import { readSources } from '../bridge/read-bridge.ts';
import { carryOut, type ChangeOptions, changing } from '../change.ts';
import { type BridgeOptions, bridgeCommand, openBridge, sourceNamed, type Surroundings } from '../command.ts';
import { allowLogin } from './allow-login.ts';
import { tryLogin } from './try-login.ts';

type Options = BridgeOptions & ChangeOptions;
type Found = { cloud: OperatorCloud; bridge: Bridge; source: BridgeSource; baseUrl: string; secretId: string };

/** A run takes at most its function's time; nobody waits longer for its lease. */
const LEASE_WAIT_MS = 90_000;
const LEASE_PAUSE_MS = 2_000;

export function credentialsCommand(surroundings: Surroundings): Command {
  return new Command('credentials')
    .description('Username and password of a source.')
    .addCommand(setCommand(surroundings))
    .addCommand(testCommand(surroundings))
    .addCommand(resetCommand(surroundings));
}

function setCommand(surroundings: Surroundings): Command {
  const command = bridgeCommand('set', 'Asks for username and password, tries them with one login, and stores them.', [
    'credentials set',
    'credentials set acme',
  ]).argument('[source]', 'where there are several');
  return changing(command).action(async (sourceId: string | undefined, options: Options) => {
    const found = await find(surroundings, sourceId, options);
    const { cloud, source, baseUrl, secretId } = found;
    const change = {
      command: `credentials set ${source.sourceId}`,
      sourceId: source.sourceId,
      plan: [
        `Asks for username and password, and tries them with one login at ${baseUrl}. If it is refused, nothing is changed.`,
        `They become the current version of the secret ${secretId}. The next poll of ${source.sourceId} uses them.`,
      ],
      undo: 'set the credentials before again; Secrets Manager keeps them as the version AWSPREVIOUS.',
      run: async () => {
        const credentials = await surroundings.askCredentials();
        await tryLogin(baseUrl, credentials, surroundings.clock);
        await cloud.writeCredentials(secretId, credentials);
        await allowNextLogin(surroundings, found).catch((error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          throw new Problem(`They are stored, and the next poll logs in unless it waits already. ${error.message}`);
        });
        return `${baseUrl} takes them, and they are stored. The next poll of ${source.sourceId} uses them.`;
      },
    };
    await carryOut(surroundings, found, change, options);
  });
}

function testCommand(surroundings: Surroundings): Command {
  return bridgeCommand('test', 'Tries the stored username and password with one login. Changes nothing.', [
    'credentials test acme',
  ])
    .argument('[source]', 'where there are several')
    .action(async (sourceId: string | undefined, options: Options) => {
      const { cloud, bridge, source, baseUrl, secretId } = await find(surroundings, sourceId, options);
      const { versionId, credentials } = await cloud.readCredentials(secretId);
      const set = `membership-bridge credentials set ${source.sourceId}`;
      if (credentials === null) throw new Problem(`The secret ${secretId} still holds its placeholder. Run ${set}.`);
      const stored = await cloud.openTable(bridge.stateTableName).read(source.sourceId);
      if (stored?.state.breaker?.secretVersion === versionId)
        throw new Problem(`${baseUrl} has refused these credentials already, so no login was sent. Run ${set}.`);
      await tryLogin(baseUrl, credentials, surroundings.clock);
      if (options.json) surroundings.output.json({ source: source.sourceId, accepted: true });
      else surroundings.output.line(`${baseUrl} takes the stored username and password of ${source.sourceId}.`);
    });
}

function resetCommand(surroundings: Surroundings): Command {
  const command = bridgeCommand(
    'reset',
    'Allows another login with the stored credentials, after one that was refused or whose outcome nobody knows.',
    ['credentials reset acme'],
  ).argument('[source]', 'where there are several');
  return changing(command).action(async (sourceId: string | undefined, options: Options) => {
    const found = await find(surroundings, sourceId, options);
    const { source } = found;
    const change = {
      command: `credentials reset ${source.sourceId}`,
      sourceId: source.sourceId,
      plan: [
        `The next poll of ${source.sourceId} sends a login with the stored credentials, whatever became of earlier ones.`,
        'If the service refuses it, that is one more refusal: too many may lock the account.',
      ],
      undo: 'not needed: if the service refuses the login, the source pauses again.',
      run: async () =>
        (await allowNextLogin(surroundings, found))
          ? `The next poll of ${source.sourceId} logs in.`
          : `Nothing keeps ${source.sourceId} from logging in.`,
    };
    await carryOut(surroundings, found, change, options);
  });
}

/** Whether anything kept it from logging in. Waits for a run: only the holder of the lease may write the state. */
async function allowNextLogin(
  { clock }: Surroundings,
  { cloud, bridge, source: { sourceId } }: Found,
): Promise<boolean> {
  const table = cloud.openTable(bridge.stateTableName);
  const until = clock.now() + LEASE_WAIT_MS;
  const tryOnce = async () => await allowLogin(table, { sourceId, owner: `operator ${randomUUID()}`, clock });
  let outcome = await tryOnce();
  while (outcome === 'runGoesOn') {
    if (clock.now() >= until)
      throw new Problem(`A run of ${sourceId} has been going on for a minute and a half. Try again when it is over.`);
    await clock.sleep(LEASE_PAUSE_MS);
    outcome = await tryOnce();
  }
  return outcome === 'allowed';
}

async function find(surroundings: Surroundings, sourceId: string | undefined, options: Options): Promise<Found> {
  const { cloud, bridge } = await openBridge(surroundings, options);
  const sources = await readSources(cloud, bridge);
  const [only, ...others] = sources;
  if (sourceId === undefined && others.length > 0)
    throw new Problem(`Name a source: ${sources.map((one) => one.sourceId).join(', ')}.`);
  const source = sourceNamed(sources, sourceId ?? only?.sourceId ?? '');
  const { baseUrl, secretId } = source.settings;
  return { cloud, bridge, source, baseUrl: String(baseUrl), secretId: String(secretId) };
}
