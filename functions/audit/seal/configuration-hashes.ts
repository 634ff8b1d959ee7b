// Every checkpoint says how the log was read, as hashes: they show a change and reveal nothing else.
import type { CredentialsReader } from '../../source/ports.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { canonicalJson, sha256Hex } from '../../shared/json.ts';
import type { AuditCheckpoint } from '../checkpoint.ts';

export type ConfigurationHashes = Pick<AuditCheckpoint, 'querySha256' | 'settingsSha256' | 'userSha256'>;

/** Null while the secret holds its placeholder. Rejects with CredentialsUnreadable. */
export async function readConfigurationHashes({
  settings: { actionKeys, baseUrl, organisationMembershipId },
  settingsSha256,
  credentials: reader,
}: {
  settings: SourceSettings;
  settingsSha256: string;
  credentials: CredentialsReader;
}): Promise<ConfigurationHashes | null> {
  const { credentials } = await reader.read();
  if (credentials === null) return null;
  return {
    querySha256: sha256Hex(canonicalJson({ actionKeys, baseUrl, organisationMembershipId })),
    settingsSha256,
    userSha256: sha256Hex(credentials.username),
  };
}
