// The secret of a source that a command adds: a new one, or one with the tag that is there already.
import { Problem } from '../../shared/problem.ts';
import { isWhole } from '../../source/binding.ts';
import { triesOf } from '../../source/first-login.ts';
import { changeLogins, withSharedRefusal } from '../../source/shared-logins.ts';
import { madeSecretName, SECRET_TAG } from '../../source/fixed-names.ts';
import type { Surroundings } from '../command.ts';
import { bindingFor, usersOf } from '../credentials/find-secret.ts';
import { tryLogin } from '../credentials/try-login.ts';
import type { TaggedSecret } from '../bridge/ports.ts';
import type { Opened } from './opened.ts';

type For = { sourceId: string; baseUrl: string };

/** `asked` is a name or an ARN. null: one has to be made. Rejects with a Problem for one without the tag. */
export async function findTagged(
  { cloud, bridge: { stackName } }: Opened,
  { sourceId, asked }: { sourceId: string; asked: string | undefined },
): Promise<TaggedSecret | null> {
  const secrets = await cloud.listSecrets(stackName);
  const wanted = asked ?? madeSecretName(stackName, sourceId);
  const found = secrets.find(({ arn, name }) => [arn, name].includes(wanted)) ?? null;
  if (found !== null || asked === undefined) return found;
  throw new Problem(
    `No secret ${wanted} has the tag of this bridge, so its functions may not read it. If it is meant for them: ` +
      `aws secretsmanager tag-resource --secret-id ${wanted} --tags Key=${SECRET_TAG},Value=${stackName}`,
  );
}

/** Asks for username and password, tries them once, and makes the secret. Resolves to its ARN. */
export async function makeSecret(
  surroundings: Surroundings,
  { cloud, bridge: { stackName } }: Opened,
  { sourceId, baseUrl }: For,
): Promise<string> {
  const credentials = await surroundings.askCredentials();
  await tryLogin(baseUrl, credentials, surroundings);
  return await cloud.createSecret({
    stackName,
    name: madeSecretName(stackName, sourceId),
    description: `Username and password of the admin user that reads the action log of ${sourceId}`,
    credentials,
    binding: { baseUrl, sources: [sourceId] },
  });
}

/** Lets a secret be used for one more source of its service. Rejects with a Problem where it is for another one. */
export async function useSecret(
  surroundings: Surroundings,
  { cloud, bridge, known }: Opened,
  { arn, sourceId, baseUrl }: For & { arn: string },
): Promise<string> {
  const { versionId, writtenAs, credentials, binding, arn: read = arn } = await cloud.readCredentials(arn);
  if (credentials === null) throw new Problem(`The secret ${arn} holds no username and password yet.`);
  if (binding.baseUrl !== null && binding.baseUrl !== baseUrl)
    throw new Problem(
      `The secret ${arn} is for ${binding.baseUrl}, and the settings say ${baseUrl}. Nothing was sent.`,
    );
  const { sharedLogins } = cloud.openTable(bridge.stateTableName);
  const { logins } = await sharedLogins.read(read);
  if (triesOf(logins, versionId) !== null)
    throw new Problem(
      `${baseUrl} has refused what the secret ${arn} holds, so no login was sent. Store another first.`,
    );
  const refused = { secretVersion: versionId, sourceId, now: surroundings.clock.now() };
  const onRefused = async (): Promise<void> =>
    void (await changeLogins(sharedLogins, read, (stored) => withSharedRefusal(stored, refused)));
  await tryLogin(baseUrl, credentials, { clock: surroundings.clock, onRefused });
  const next = bindingFor(binding, { sourceId, baseUrl }, usersOf(read, known));
  const isBound = isWhole(binding) && next.sources.length === binding.sources.length;
  if (!isBound) await cloud.bindSecret(arn, { versionId: writtenAs ?? versionId, binding: next });
  return arn;
}
