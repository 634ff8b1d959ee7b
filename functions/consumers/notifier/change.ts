// What is told of an event: what happened in words, the action key, whom it is about, and when. Nothing else of an entry leaves the bridge this way. Pure.
import type { DetailType, NoticeType, TypedEvent } from '../../events/index.ts';
import { scalarText, valueAt, type JsonObject } from '../../shared/json.ts';
import { toPlainText } from './plain-text.ts';

/** Texts in one line each, without a limit of any medium; still untrusted. */
export type Change = {
  /** `metadata.id`: the same however often the event comes. */
  id: string;
  /** The detail type in words; a whole sentence where the bridge speaks of itself. */
  what: string;
  /** The verbatim action key; null where there is none. */
  action: string | null;
  /** Null where it is about no member; `name` null where the entry names nobody. */
  member: { id: string; name: string | null } | null;
  /** When it happened, or was seen where nobody knows, in ms since 1970. */
  at: number;
  /** True where the bridge speaks of itself. */
  isNotice: boolean;
};

const LONGEST_NAME = 120;
const LONGEST_ACTION = 120;
const LONGEST_ID = 80;

export const WORDS: Readonly<Record<DetailType, string>> = {
  MemberChanged: 'Member changed',
  MembershipChanged: 'Membership changed',
  PaymentChanged: 'Payment changed',
  DebtChanged: 'Debt changed',
  DonationChanged: 'Donation changed',
  CalendarEventChanged: 'Event changed',
  TagChanged: 'Tag changed',
  CommunityChanged: 'Community changed',
  SettingsChanged: 'Settings changed',
  OtherActionLogged: 'Other action',
};

const NOTICES: Readonly<Record<NoticeType, string>> = {
  GapDetected: 'Some changes could not be read',
  LateEntriesFound: 'Changes were found late',
  CredentialsRefused: 'The password is refused: nothing is read until it is corrected',
  EntryQuarantined: 'A change could not be passed on and is kept aside',
  SourceResponseChanged: 'The service answers differently from before',
  AuditCheckpointCreated: 'A day of the audit copy was sealed',
  WebhookEndpointDisabled: 'A webhook was switched off',
};

/** Not shown by the interface: where an entry may name its member, the surest first; the setting `nameField` goes before. Never the name of who acted. */
const NAME_FIELDS = [
  '/memberName',
  '/member/name',
  '/member/fullName',
  '/member/displayName',
  '/contactName',
  '/contact/name',
  '/contact/fullName',
  '/fullName',
  '/displayName',
];

/** True for what happened long ago and comes once more, or for the first time as history: nobody is to be told of it now (D16). */
export function isOld(event: TypedEvent): boolean {
  return (
    event['replay-name'] !== undefined ||
    ('backfillId' in event.detail.metadata && event.detail.metadata.backfillId !== null)
  );
}

export function toChange(event: TypedEvent, { nameField }: { nameField?: string } = {}): Change {
  if (event.source === 'membership.bridge') {
    const { id, observedAt, sourceId } = event.detail.metadata;
    const what = `${NOTICES[event['detail-type']]} (source ${toPlainText(sourceId, LONGEST_ID)})`;
    return { id, what, action: null, member: null, at: Date.parse(observedAt), isNotice: true };
  }
  const { id, actionKey, organisationMembershipId, occurredAt, observedAt } = event.detail.metadata;
  return {
    id,
    what: WORDS[event['detail-type']],
    action: toText(actionKey, LONGEST_ACTION),
    member: toMember(organisationMembershipId, nameIn(event.detail.data, nameField)),
    at: Date.parse(occurredAt ?? observedAt),
    isNotice: false,
  };
}

function toMember(membershipId: string | null, name: string | null): Change['member'] {
  const id = toText(membershipId, LONGEST_ID);
  return id === null && name === null ? null : { id: id ?? '', name };
}

function nameIn(data: JsonObject | null, nameField: string | undefined): string | null {
  if (data === null) return null;
  const pointers = nameField === undefined ? NAME_FIELDS : [nameField];
  const names = pointers.map((pointer) => toText(scalarText(valueAt(data, pointer)), LONGEST_NAME));
  return names.find((name) => name !== null) ?? null;
}

function toText(text: string | null, most: number): string | null {
  const line = text === null ? '' : toPlainText(text, most);
  return line === '' ? null : line;
}

/** What is told where a channel was switched off. Its id is of the channel and the secret's version: told once for each. */
export function toTrouble({
  channel,
  versionId,
  status,
  at,
}: {
  channel: string;
  versionId: string;
  status: number;
  at: number;
}): Change {
  const what = `Slack refuses messages for the channel ${channel} (${status}): nothing is sent there until its secret has another address`;
  return { id: `off#${channel}#${versionId}`, what, action: null, member: null, at, isNotice: true };
}
