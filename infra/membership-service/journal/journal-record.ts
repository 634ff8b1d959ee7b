// What the journal holds: the service's own line, entries of the log, and things of the organisations as they were written.
import type { ActionLog } from '../action-log/action-log.ts';
import type { LoggedEntry } from '../action-log/entries.ts';
import type { Contact, Organisation, Payment, Tag, Writable } from '../organisation/organisation.ts';

/** Versions that can be read. From 2 on things of every collection are written and removed, in any organisation. */
export const JOURNAL_VERSIONS: readonly number[] = [1, 2];
export const JOURNAL_VERSION = 2;

type Written<Collection extends keyof Writable> = {
  kind: 'record';
  organisationId: string;
  collection: Collection;
  id: string;
  /** Null: it was removed. */
  value: Writable[Collection] | null;
};

export type WrittenRecord = { [Collection in keyof Writable]: Written<Collection> }[keyof Writable];

export type JournalRecord =
  | { kind: 'service'; version: number; seed: number }
  | { kind: 'entry'; entry: LoggedEntry }
  | WrittenRecord
  /** Those of version 1, all of the first organisation. */
  | { kind: 'contact'; contact: Contact }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'payment'; payment: Payment }
  /** All entries not visible at that instant became visible. */
  | { kind: 'revealed'; at: number };

/** Records that are one change: they lie in one line, so that a kill leaves all of them or none. */
export type JournalLine = readonly JournalRecord[];

export type Remembered = {
  /** The one that the service is about. */
  organisation: Organisation;
  organisations: ReadonlyMap<string, Organisation>;
  log: ActionLog;
};

/** Does in memory what a record says. Throws for a record that this service never wrote. */
export function applyRecord(record: JournalRecord, { organisation, organisations, log }: Remembered): void {
  switch (record.kind) {
    case 'service':
      return;
    case 'entry':
      return log.add(record.entry);
    case 'record':
      return applyWritten(record, organisations);
    case 'contact':
      return void organisation.contacts.set(record.contact.id, record.contact);
    case 'tag':
      return void organisation.tags.set(record.tag.id, record.tag);
    case 'payment':
      return void organisation.payments.set(record.payment.id, record.payment);
    case 'revealed':
      return log.reveal(record.at);
    default:
      throw new Error('The state file holds what this version of the service does not know. Begin with another file.');
  }
}

function applyWritten(record: WrittenRecord, organisations: ReadonlyMap<string, Organisation>): void {
  const organisation = organisations.get(record.organisationId);
  if (!organisation) throw new Error('The state file is about another organisation. Begin with another file.');
  const things: Map<string, unknown> = organisation[record.collection];
  if (record.value === null) things.delete(record.id);
  else things.set(record.id, record.value);
}
