// The bearer token: who logs in, when, and how often at most.

export type Credentials = { username: string; password: string };

export type CredentialsReader = {
  /**
   * Reads the current version of the secret with its version id. `credentials` is null while the secret holds its placeholder.
   * Rejects with CredentialsUnreadable.
   */
  read(): Promise<{ versionId: string; credentials: Credentials | null }>;
};
