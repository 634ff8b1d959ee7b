// What every checkpoint says of how the log is read: hashes, so that a change shows and nothing else does.
import type { CredentialsReader } from '../../source/ports.ts';
import type { SourceSettings } from '../../source/settings.ts';
import { canonicalJson, sha256Hex } from '../../shared/json.ts';
import type { AuditCheckpoint } from '../checkpoint.ts';

export type Stamps = Pick<AuditCheckpoint, 'querySha256' | 'settingsSha256' | 'userSha256'>;

/** null while the secret holds its placeholder. Rejects with CredentialsUnreadable. */
export async function readStamps({
  settings: { actionKeys, baseUrl, organisationMembershipId },
  settingsSha256,
  credentials: reader,
}: {
  settings: SourceSettings;
  settingsSha256: string;
  credentials: CredentialsReader;
}): Promise<Stamps | null> {
  const { credentials } = await reader.read();
  if (credentials === null) return null;
  return {
    querySha256: sha256Hex(canonicalJson({ actionKeys, baseUrl, organisationMembershipId })),
    settingsSha256,
    userSha256: sha256Hex(credentials.username),
  };
}
