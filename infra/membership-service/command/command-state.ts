// The state file of the command: used by one process at a time, and begun with one personality, after which its entries are named.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../../functions/shared/problem.ts';
import { releaseProcessLock, takeProcessLock } from '../../shared/process-lock.ts';
import { PERSONALITY_NAMES, type PersonalityName } from '../personality/personalities.ts';

export type CommandState = {
  personality: PersonalityName;
  /** There was nothing before. */
  isNew: boolean;
  release(): void;
};

const DEFAULT: PersonalityName = 'ordinary';

/** Takes the file, where there is one. Throws a Problem where another process has it, or it was begun with another personality than is asked for. */
export function openCommandState(file: string | null, asked: PersonalityName | null): CommandState {
  if (file === null) return { personality: asked ?? DEFAULT, isNew: true, release: () => {} };
  mkdirSync(dirname(file), { recursive: true });
  const lock = `${file}.lock`;
  const holder = takeProcessLock(lock);
  if (holder !== null) throw new Problem(`${file} is in use by process ${holder}. End it, or give another --state.`);
  try {
    const isNew = !existsSync(file);
    return { personality: agree(file, asked, isNew), isNew, release: () => releaseProcessLock(lock) };
  } catch (error) {
    releaseProcessLock(lock);
    throw error;
  }
}

/** The name stands in a file of its own: the state file is the service's journal, which knows nothing of personalities. */
function agree(file: string, asked: PersonalityName | null, isNew: boolean): PersonalityName {
  const beside = `${file}.personality`;
  const begun = isNew || !existsSync(beside) ? null : readFileSync(beside, 'utf8').trim();
  const known = PERSONALITY_NAMES.find((name) => name === begun) ?? null;
  if (known !== null && asked !== null && known !== asked)
    throw new Problem(
      `${file} was begun with --personality ${known}. Leave --personality out, or give another --state.`,
    );
  const personality = known ?? asked ?? DEFAULT;
  writeFileSync(beside, `${personality}\n`);
  return personality;
}
