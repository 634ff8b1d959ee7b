// The change that an event reports: what happened, the action key, the member, and when. A message shows nothing else
// of an entry. Pure.
import type { DetailType, NoticeType, TypedEvent } from '../../../events/index.ts';
import { scalarText, valueAt, type JsonObject } from '../../../shared/json.ts';
import { toPlainText } from './plain-text.ts';

/** Texts have one line and no limit of a medium. They are untrusted. */
export type Change = {
  /** `metadata.id`: the same for each copy of the event. */
  id: string;
  /** The detail type in words; a sentence for a notice. */
  what: string;
  /** The verbatim action key, or null. */
  action: string | null;
  /** Null for a change without a member; `name` is null where the entry has none. */
  member: { id: string; name: string | null } | null;
  /** When it happened, else when the bridge saw it, in ms since 1970. */
  at: number;
  /** True for a notice of the bridge. */
  isNotice: boolean;
};

const MAX_NAME = 120;
const MAX_ACTION = 120;
const MAX_ID = 80;

export const LABELS: Readonly<Record<DetailType, string>> = {
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
  CredentialsRefused: 'The service refuses the password: nothing is read until it is corrected',
  EntryQuarantined: 'A change could not be published and is in quarantine',
  SourceResponseChanged: 'The service answers differently from before',
  AuditCheckpointCreated: 'A day of the audit copy was sealed',
  WebhookEndpointDisabled: 'A webhook was switched off',
};

/** Where an entry may name its member, the likeliest first; not documented. Never the name of the user who acted. */
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

/** Whether an event is replayed or backfilled. Such events are not sent to people (D16). */
export function isHistorical(event: TypedEvent): boolean {
  return (
    event['replay-name'] !== undefined ||
    ('backfillId' in event.detail.metadata && event.detail.metadata.backfillId !== null)
  );
}

export function toChange(event: TypedEvent, { nameField }: { nameField?: string } = {}): Change {
  if (event.source === 'membership.bridge') {
    const { id, observedAt, sourceId } = event.detail.metadata;
    const what = `${NOTICES[event['detail-type']]} (source ${toPlainText(sourceId, MAX_ID)})`;
    return { id, what, action: null, member: null, at: Date.parse(observedAt), isNotice: true };
  }
  const { id, actionKey, organisationMembershipId, occurredAt, observedAt } = event.detail.metadata;
  return {
    id,
    what: LABELS[event['detail-type']],
    action: toText(actionKey, MAX_ACTION),
    member: toMember(organisationMembershipId, nameIn(event.detail.data, nameField)),
    at: Date.parse(occurredAt ?? observedAt),
    isNotice: false,
  };
}

function toMember(membershipId: string | null, name: string | null): Change['member'] {
  const id = toText(membershipId, MAX_ID);
  return id === null && name === null ? null : { id: id ?? '', name };
}

function nameIn(data: JsonObject | null, nameField: string | undefined): string | null {
  if (data === null) return null;
  const pointers = nameField === undefined ? NAME_FIELDS : [nameField];
  const names = pointers.map((pointer) => toText(scalarText(valueAt(data, pointer)), MAX_NAME));
  return names.find((name) => name !== null) ?? null;
}

function toText(text: string | null, maxLength: number): string | null {
  const line = text === null ? '' : toPlainText(text, maxLength);
  return line === '' ? null : line;
}

/** The change that reports a disabled channel, with one id for each version of its secret. */
export function toDisabledChange({
  service,
  channel,
  versionId,
  status,
  at,
}: {
  service: string;
  channel: string;
  versionId: string;
  status: number;
  at: number;
}): Change {
  const what = `${service} refuses messages for the channel ${channel} (${status}): nothing is sent there until its secret has another address`;
  return { id: `off#${channel}#${versionId}`, what, action: null, member: null, at, isNotice: true };
}
