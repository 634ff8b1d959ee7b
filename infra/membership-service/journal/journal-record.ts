// The contents of the journal: the service's own line, entries of the log, and records of the organisations.
import type { ActionLog } from '../action-log/action-log.ts';
import type { LoggedEntry } from '../action-log/entries.ts';
import type { Contact, Organisation, Payment, Tag, Writable } from '../organisation/organisation.ts';

/** Readable versions. Since 2, records of every collection in any organisation are written and removed. */
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
  /** Version 1, only for the first organisation. */
  | { kind: 'contact'; contact: Contact }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'payment'; payment: Payment }
  /** All entries invisible at that instant became visible. */
  | { kind: 'revealed'; at: number };

/** The records of one change. They share a line, so that a crash leaves all of them or none. */
export type JournalLine = readonly JournalRecord[];

type Remembered = {
  /** The organisation that the service is about. */
  organisation: Organisation;
  organisations: ReadonlyMap<string, Organisation>;
  log: ActionLog;
};

/** Applies a record to the memory. Throws for a record that this service never wrote. */
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
      throw new Error(
        'The state file holds records that this version of the service does not know. Choose another file.',
      );
  }
}

function applyWritten(record: WrittenRecord, organisations: ReadonlyMap<string, Organisation>): void {
  const organisation = organisations.get(record.organisationId);
  if (!organisation) throw new Error('The state file belongs to another organisation. Choose another file.');
  const things: Map<string, unknown> = organisation[record.collection];
  if (record.value === null) things.delete(record.id);
  else things.set(record.id, record.value);
}
