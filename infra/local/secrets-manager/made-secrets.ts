// Secrets that commands have made for sources, in a file of the state folder: all but their values. The password of a
// source is never written to disk.
import { PLACEHOLDER_USERNAME } from '../../../functions/shared/placeholder-credentials.ts';
import { SECRET_TAG } from '../../../functions/source/fixed-names.ts';
import { readKeptList, writeKeptList } from '../platform/kept-list.ts';
import { putSecretValue, type Secret } from './secret-versions.ts';

type Made = Omit<Secret, 'versions'>;

/** What one has after a restart, until somebody writes the credentials into it. */
const PLACEHOLDER = JSON.stringify({ username: PLACEHOLDER_USERNAME, password: 'generated' });

/** Whether the functions of an environment may read it as the credentials of a source. */
export function isOfSource({ tags }: Pick<Secret, 'tags'>): boolean {
  return Object.hasOwn(tags, SECRET_TAG);
}

/** Those of the file, with a placeholder. One whose time to be restored is over is gone. */
export function readMadeSecrets(file: string): Secret[] {
  const made = readKeptList<Made>(file).filter(({ deletion }) => deletion === null || deletion.until > Date.now());
  return made.map((one) => {
    const secret = { ...one, versions: [] };
    putSecretValue(secret, { SecretString: PLACEHOLDER });
    return { ...secret, changedAt: one.changedAt };
  });
}

/** Writes those of sources that are not `ofTemplate`, if that changes the file. */
export function createMadeSecretsWriter(
  file: string,
  ofTemplate: ReadonlySet<string>,
): (all: readonly Secret[]) => void {
  let written = '[]';
  return (all) => {
    const made = all.filter((secret) => isOfSource(secret) && !ofTemplate.has(secret.name));
    const list = made.map(({ versions: _never, ...one }): Made => one);
    const text = JSON.stringify(list);
    if (text === written) return;
    writeKeptList(file, list);
    written = text;
  };
}
