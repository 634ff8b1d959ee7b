// The log groups that rules write to. Each is a file in the state folder with one event per line.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Journal, openJournal } from '../platform/journal.ts';

export type LogGroupDefinition = { name: string };

export type LocalLogGroups = {
  /** The line is in the file when this returns. False if the template has no such log group. */
  append: (name: string, line: string) => boolean;
  /** What rules have written into a log group. */
  lines: (name: string) => string[];
  close: () => void;
};

/** `/aws/events/MembershipBridge` is `aws-events-MembershipBridge.ndjson` in `folder`, created with its first line. */
export function openLogGroups(folder: string, definitions: readonly LogGroupDefinition[]): LocalLogGroups {
  const journals = new Map<string, Journal>();
  const fileOf = (name: string): string => join(folder, `${name.replace(/^\//, '').replaceAll('/', '-')}.ndjson`);
  const open = (name: string): Journal => {
    mkdirSync(folder, { recursive: true });
    const journal = openJournal(fileOf(name));
    journals.set(name, journal);
    return journal;
  };
  return {
    append: (name, line) => {
      if (!definitions.some((definition) => definition.name === name)) return false;
      (journals.get(name) ?? open(name)).append(line);
      return true;
    },
    lines: (name) => (existsSync(fileOf(name)) ? (journals.get(name) ?? open(name)).lines() : []),
    close: () => {
      for (const journal of journals.values()) journal.close();
    },
  };
}
