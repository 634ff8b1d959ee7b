// The log groups that rules write to. Each is a file in the state folder with one event per line.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Journal, openJournal } from '../cloud/journal.ts';
import type { LogGroupDefinition } from '../cloudformation/resources.ts';

export type LocalLogGroups = {
  /** The line is in the file when this returns. False if the template has no such log group. */
  append: (name: string, line: string) => boolean;
  close: () => void;
};

/** `/aws/events/MembershipBridge` is `aws-events-MembershipBridge.ndjson` in `folder`, created with its first line. */
export function openLogGroups(folder: string, definitions: readonly LogGroupDefinition[]): LocalLogGroups {
  const journals = new Map<string, Journal>();
  const open = (name: string): Journal => {
    mkdirSync(folder, { recursive: true });
    const journal = openJournal(join(folder, `${name.replace(/^\//, '').replaceAll('/', '-')}.ndjson`));
    journals.set(name, journal);
    return journal;
  };
  return {
    append: (name, line) => {
      if (!definitions.some((definition) => definition.name === name)) return false;
      (journals.get(name) ?? open(name)).append(line);
      return true;
    },
    close: () => {
      for (const journal of journals.values()) journal.close();
    },
  };
}
