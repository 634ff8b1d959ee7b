// The sources that commands have added, as the table remembers them: the schedules decide, and are made again from it.
import { Problem } from '../shared/problem.ts';

/** What is stored, as JSON. */
export type AddedSource = {
  /** Of this layout. */
  version: 1;
  /** As the schedule passes them to the poller, `secretId` included. */
  settings: Readonly<Record<string, unknown>>;
  /** The ARN of whoever wrote it, and when in ms since 1970. */
  by: string;
  at: number;
  /** It has no schedule, because the next deployment makes it: cdk.json has it now. */
  adopting?: true;
};

/** `token` is for `write`. */
export type StoredAddedSource = { sourceId: string; added: AddedSource; token: string };

export type AddedSourceStore = {
  /** All, by id. Rejects with a Problem where another version wrote one. */
  list(): Promise<StoredAddedSource[]>;
  /** `token` is that of `list`, or null. Resolves to false where another command has written since. */
  write(sourceId: string, added: AddedSource, token: string | null): Promise<boolean>;
  /** Nothing happens where there is none. */
  remove(sourceId: string): Promise<void>;
};

/** Throws a Problem for what another version wrote. */
export function readAddedSource(sourceId: string, token: string): StoredAddedSource {
  const added = JSON.parse(token) as AddedSource;
  if (added.version === 1) return { sourceId, added, token };
  throw new Problem(`The stored settings of ${sourceId} are of another version. Use the command that is deployed.`);
}
