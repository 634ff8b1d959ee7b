// Entries that the service deletes again: no page shows them from then on, so that nobody can read them any more.
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import type { Chance } from '../chance.ts';

export type Deletions = {
  onWritten(entry: LoggedEntry): void;
  /** Hides them again, after everything that was late was made visible. */
  hide(): void;
};

/** An entry is deleted when so many others at most were written after it: at once, or hours later. */
const MEMORY = 300;

export function createDeletions(share: number, chance: Chance): Deletions {
  const gone: LoggedEntry[] = [];
  let latest: LoggedEntry[] = [];
  const hide = (): void => gone.forEach((entry) => Object.assign(entry, { visibleAt: Infinity }));
  return {
    hide,
    onWritten(entry) {
      if (share === 0) return;
      latest = [...latest.slice(1 - MEMORY), entry];
      if (!chance.happens(share)) return;
      const deleted = chance.pick(latest);
      latest = latest.filter((other) => other !== deleted);
      gone.push(deleted);
      hide();
    },
  };
}
