// Every checkpoint says how the log was read, as hashes: they show a change and reveal nothing else.
import { canonicalJson, sha256Hex } from '../../shared/json.ts';
import type { AuditCheckpoint } from '../checkpoint.ts';
import type { Sealing } from './sealing.ts';

export type ConfigurationHashes = Pick<AuditCheckpoint, 'querySha256' | 'settingsSha256' | 'userSha256'>;

/** Stands for the user of a removed source that no run of the sealer has seen the secret of. */
const NOBODY_SHA256 = sha256Hex('');

/** Null while the secret holds its placeholder. Rejects with CredentialsUnreadable. */
export async function readConfigurationHashes(
  sealing: Pick<Sealing, 'settings' | 'settingsSha256' | 'credentials' | 'removed'>,
): Promise<ConfigurationHashes | null> {
  const { actionKeys, baseUrl, organisationMembershipId } = sealing.settings;
  const userSha256 = await readUserSha256(sealing);
  if (userSha256 === null) return null;
  return {
    querySha256: sha256Hex(canonicalJson({ actionKeys, baseUrl, organisationMembershipId })),
    settingsSha256: sealing.settingsSha256,
    userSha256,
  };
}

/** Nobody reads a removed source any more, and its secret may be gone or belong to another: the last user counts. */
async function readUserSha256({ credentials: reader, removed }: Pick<Sealing, 'credentials' | 'removed'>) {
  if (removed !== undefined) return removed.userSha256 ?? NOBODY_SHA256;
  const { credentials } = await reader.read();
  return credentials === null ? null : sha256Hex(credentials.username);
}
