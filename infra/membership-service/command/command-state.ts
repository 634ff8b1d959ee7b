// The state file of the command. One process uses it at a time; its personality is fixed, because entries depend on it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../../functions/shared/problem.ts';
import { releaseProcessLock, takeProcessLock } from '../../shared/process-lock.ts';
import { PERSONALITY_NAMES, type PersonalityName } from '../personality/personalities.ts';

export type CommandState = {
  personality: PersonalityName;
  /** Whether the file did not exist. */
  isNew: boolean;
  release(): void;
};

const DEFAULT: PersonalityName = 'ordinary';

/** Locks the file, if there is one. Throws a Problem if another process uses it or it has another personality. */
export function openCommandState(file: string | null, asked: PersonalityName | null): CommandState {
  if (file === null) return { personality: asked ?? DEFAULT, isNew: true, release: () => {} };
  mkdirSync(dirname(file), { recursive: true });
  const lock = `${file}.lock`;
  const holder = takeProcessLock(lock);
  if (holder !== null)
    throw new Problem(`${file} is in use by process ${holder}. Stop that process, or choose another --state.`);
  try {
    const isNew = !existsSync(file);
    return { personality: fixPersonality(file, asked, isNew), isNew, release: () => releaseProcessLock(lock) };
  } catch (error) {
    releaseProcessLock(lock);
    throw error;
  }
}

/** The name is in a separate file: the state file is the service's journal, which knows no personalities. */
function fixPersonality(file: string, asked: PersonalityName | null, isNew: boolean): PersonalityName {
  const nameFile = `${file}.personality`;
  const begun = isNew || !existsSync(nameFile) ? null : readFileSync(nameFile, 'utf8').trim();
  const known = PERSONALITY_NAMES.find((name) => name === begun) ?? null;
  if (known !== null && asked !== null && known !== asked)
    throw new Problem(
      `${file} was created with --personality ${known}. Leave --personality out, or choose another --state.`,
    );
  const personality = known ?? asked ?? DEFAULT;
  writeFileSync(nameFile, `${personality}\n`);
  return personality;
}
