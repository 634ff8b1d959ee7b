// Secrets of consumers that outlive a run, in a file of the state folder that only its owner can read.
import { readFileSync } from 'node:fs';
import { PLACEHOLDER_USERNAME } from '../../../functions/shared/placeholder-credentials.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { replaceFile } from '../../shared/replace-file.ts';

export type KeptSecrets = {
  /** Those of earlier runs, by name. */
  readonly values: ReadonlyMap<string, string>;
  /** Takes note of a value that was written, whether or not it is kept. Those of sources never are. */
  onWritten: (name: string, value: string, isOfSource?: boolean) => void;
  /** Whether the next run has its value. */
  isKept: (name: string) => boolean;
};

/**
 * Opens the file of kept secrets. Keeps those called `names`, unless one holds the password of another secret: the
 * password of a source is never written. Throws a Problem for a file that is none.
 */
export function openKeptSecrets(file: string, names: ReadonlySet<string>): KeptSecrets {
  const values = new Map(Object.entries(readKept(file)));
  const passwords = new Set<string>();
  let written = toText(values);
  return {
    values: new Map([...values].filter(([name]) => names.has(name))),
    onWritten(name, value, isOfSource = false) {
      if (isOfSource) values.delete(name);
      if (names.has(name) && !isOfSource) values.set(name, value);
      else for (const password of passwordIn(value)) passwords.add(password);
      for (const [kept, text] of values) if (holdsOne(passwords, text)) values.delete(kept);
      if (toText(values) === written) return;
      written = toText(values);
      write(file, written);
    },
    isKept: (name) => values.has(name),
  };
}

function readKept(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Problem(`${file} cannot be read. Remove it, and fill the secrets of the consumers again.`);
  }
}

/** The mode of the old file somebody may have changed. */
function write(file: string, text: string): void {
  replaceFile(file, text, { mode: 0o600 });
}

function toText(values: ReadonlyMap<string, string>): string {
  return `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`;
}

function passwordIn(value: string): string[] {
  try {
    const { username, password } = (JSON.parse(value) ?? {}) as Record<string, unknown>;
    return typeof password === 'string' && password !== '' && username !== PLACEHOLDER_USERNAME ? [password] : [];
  } catch {
    return [];
  }
}

/** A text that is JSON may have it with escapes. */
function holdsOne(passwords: ReadonlySet<string>, text: string): boolean {
  return [...passwords].some((one) => text.includes(one) || text.includes(JSON.stringify(one).slice(1, -1)));
}
