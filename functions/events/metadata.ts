// The members of `metadata`, each declared here once: its type, its schema, and what `parse` and `audit verify` check
// come from this list. A member that is added later is optional for ever, because archived events do not have it.

/** What a member may be, and its type. */
export type MemberKinds = {
  uuid: string;
  version: '1';
  text: string;
  textOrNull: string | null;
  /** UTC, ISO 8601 with milliseconds. */
  instant: string;
  instantOrNull: string | null;
  /** 64 hex digits. */
  sha256: string;
  flag: boolean;
  oversize: { bytes: number; limitBytes: number };
};

export type MemberKind = keyof MemberKinds;

/** The kind of each member, and its description in the schema. */
export type Members = Readonly<Record<string, readonly [kind: MemberKind, description: string]>>;

/** The metadata of a notice. */
export const NOTICE_MEMBERS = {
  /** UUID version 8 from SHA-256(source id, identity): the same on every retry, sweep, crash and rerun. */
  id: ['uuid', 'The same on every retry, sweep and rerun: a consumer remembers it to recognise duplicates'],
  version: ['version', 'Of the shape of `metadata` and, in a notice, of `data`'],
  sourceId: ['text', "The source's name in the bridge's settings; a source is one organisation"],
  observedAt: ['instant', 'When the bridge saw it'],
  /** Request id of the invocation that published the event. */
  requestId: ['text', 'Of the invocation that published the event, for the log of the poller'],
} as const satisfies Members;

/** The metadata of an entry's event. */
export const ENTRY_MEMBERS = {
  ...NOTICE_MEMBERS,
  organisationId: ['textOrNull', 'From the entry, else from the settings'],
  actionKey: ['textOrNull', 'What exactly happened, verbatim from the service: the contract'],
  organisationMembershipId: ['textOrNull', 'The member, from the entry'],
  occurredAt: ['instantOrNull', 'When it happened, for the order; null if the entry has no usable stamp'],
  occurredAtText: ['textOrNull', 'The same, verbatim from the service'],
  /** SHA-256 of the entry's canonical JSON, in hex. */
  entrySha256: ['sha256', "Of the entry's canonical JSON (keys in order, no white space), in hex"],
  /** True if the entry became visible later than the recent sweep looks back. */
  late: ['flag', 'True if the entry became visible later than the recent sweep looks back'],
  backfillId: [
    'textOrNull',
    'Not null for an entry of the past: `start` if `startFrom` requests it, else the id of the backfill that an operator has ordered. Do not notify people of it',
  ],
} as const satisfies Members;

/** Members that an event of an entry may lack. */
export const OPTIONAL_ENTRY_MEMBERS = {
  /** Present if the entry is too large for the bus: `data` is null and the whole entry is in quarantine. */
  oversize: ['oversize', 'Present if the entry is too large for the bus; the whole entry is then in quarantine'],
} as const satisfies Members;

type ValuesOf<Of extends Members> = { -readonly [Name in keyof Of]: MemberKinds[Of[Name][0]] };
type Flat<Value> = { [Name in keyof Value]: Value[Name] };

export type NoticeMetadata = ValuesOf<typeof NOTICE_MEMBERS>;

/** What the bridge knows about an entry. */
export type EventMetadata = Flat<ValuesOf<typeof ENTRY_MEMBERS> & Partial<ValuesOf<typeof OPTIONAL_ENTRY_MEMBERS>>>;
