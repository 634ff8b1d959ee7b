// All that the service remembers: the organisation and its action log. Every change passes through here: journal first, memory next.
import { createActionLog, type ActionLog } from '../action-log/action-log.ts';
import { createEntryWriter, twinOf, type Change, type EntryWriter, type LoggedEntry } from '../action-log/entries.ts';
import { applyRecord, type JournalLine, type JournalRecord, type WrittenRecord } from './journal-record.ts';
import type { Journal } from './journal.ts';
import { byId, type Organisation } from '../organisation/organisation.ts';
import type { Personality } from '../personality/personality.ts';
import { createRandom, happens, uuidFrom } from '../random.ts';
import { createSeededOrganisations } from '../organisation/seeded-organisation.ts';
import { sortKey } from '../action-log/stamps.ts';
import { createZone, type Zone } from '../../shared/zone.ts';

export type State = {
  readonly seed: number;
  /** The one that the service is about. */
  readonly organisation: Organisation;
  /** A small one on the free plan. */
  readonly freeOrganisation: Organisation;
  /** All, by id. */
  readonly organisations: ReadonlyMap<string, Organisation>;
  readonly log: ActionLog;
  readonly zone: Zone;
  /** The entries of the organisation that the service is about, in order of writing. */
  entries(): readonly LoggedEntry[];
  now(): number;
  /** An id that no other thing of this kind has, now or after a restart. */
  newId(kind: 'contact' | 'membership' | 'tag' | 'payment' | 'debt' | 'donation'): string;
  /**
   * Makes one change: `records` to the organisation and an entry per change to the log, in one line of the journal. Where the personality has twins,
   * some entries are written twice; `twins: false` forbids it. Returns the entries in order of writing.
   */
  commit(changes: readonly Change[], options?: { records?: WrittenRecord[]; twins?: boolean }): LoggedEntry[];
  /** Logs many changes, each on its own line, in one write. */
  commitAll(changes: readonly Change[]): void;
  reveal(): void;
};

export function createState(options: {
  seed: number;
  personality: Personality;
  journal: Journal;
  clock: () => number;
}): State {
  const { seed, personality, journal, clock } = options;
  const zone = createZone(personality.stamps.timeZone);
  const organisations = createSeededOrganisations(seed);
  const { seeded: organisation } = organisations;
  const log = createActionLog((entry) => sortKey(entry.stampedMicros, personality.stamps, zone));
  const remembered = { organisation, organisations: byId(Object.values(organisations)), log };
  const apply = (line: JournalLine): void => {
    for (const record of line) applyRecord(record, remembered);
  };
  journal.lines.forEach(apply);

  // Drawn on from another place after a restart, so that the past does not repeat itself.
  const random = createRandom(`${seed}/entries/${log.written.length}`);
  const write = createEntryWriter({ seed, organisationId: organisation.id, personality, zone, random });
  const twinShare = personality.ids === 'none' ? personality.twins.share : 0;
  const keep = (lines: readonly JournalLine[]): void => {
    journal.append(lines);
    lines.forEach(apply);
  };
  const toEntries = (changes: readonly Change[], from: number, share: number): LoggedEntry[] =>
    writeEntries(changes, { write, from, now: clock(), isTwin: () => happens(random, share) });

  return {
    seed,
    ...remembered,
    freeOrganisation: organisations.free,
    entries: () => own(log.written),
    zone,
    now: clock,
    newId: (kind) => uuidFrom(`${seed}/${kind}/made at/${log.written.length}`),
    commit: (changes, { records = [], twins = true } = {}) => {
      const entries = toEntries(changes, log.written.length + 1, twins ? twinShare : 0);
      keep([[...records, ...entries.map(toRecord)]]);
      return entries;
    },
    commitAll: (changes) => {
      keep(toEntries(changes, log.written.length + 1, twinShare).map((entry) => [toRecord(entry)]));
    },
    reveal: () => keep([[{ kind: 'revealed', at: clock() }]]),
  };
}

/** The same list where all are its own. */
function own(entries: readonly LoggedEntry[]): readonly LoggedEntry[] {
  const isElsewhere = ({ organisationId }: LoggedEntry): boolean => organisationId !== undefined;
  return entries.some(isElsewhere) ? entries.filter((entry) => !isElsewhere(entry)) : entries;
}

function toRecord(entry: LoggedEntry): JournalRecord {
  return { kind: 'entry', entry };
}

function writeEntries(
  changes: readonly Change[],
  { write, from, now, isTwin }: { write: EntryWriter; from: number; now: number; isTwin: () => boolean },
): LoggedEntry[] {
  const entries: LoggedEntry[] = [];
  for (const change of changes) {
    const entry = write(change, from + entries.length, now);
    entries.push(entry);
    if (isTwin()) entries.push(twinOf(entry, from + entries.length));
  }
  return entries;
}
