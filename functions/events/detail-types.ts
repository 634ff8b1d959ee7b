// The detail type of an action key, by a table of wildcards: a convenience for rules on the bus.
import { isMadeOf } from '../shared/text-parts.ts';
import { changesNothing, toWords } from './action-words.ts';
import type { DetailType } from './event.ts';

/**
 * Wildcards on the action key by detail type. The first match decides, in the order written. A wildcard matches the key
 * as written (ignoring case, `*` for any text), or the words of the key (`*` for any words): `Contact*` matches
 * `ContactCreated`, `contact.created` and `CONTACTS_IMPORT`.
 */
export type DetailTypeTable = Readonly<Partial<Record<DetailType, readonly string[]>>>;

/**
 * Assumption A7: the interface document does not show the action keys, so this table uses the names of resources. It
 * matches whole words only, and compounds before their parts: a membership fee is not a member.
 */
const BUILT_IN: readonly (readonly [DetailType, string])[] = [
  [
    'OtherActionLogged',
    '*Email*Sent* *Email*Opened* *Email*Clicked* *Sent*Email* *Send*Email* *Notification* *Newsletter*',
  ],
  ['SettingsChanged', '*Setting* *Select*List* *Custom*Field* *Reference*List* *Configuration*'],
  ['TagChanged', '*Tag* *Tagged* *Untagged*'],
  ['PaymentChanged', '*Payment* *Refund* *Refunded* *Invoice* *Credit*Card* *Transaction*'],
  ['DebtChanged', '*Debt*'],
  ['DonationChanged', '*Donation* *Donor*'],
  ['CalendarEventChanged', '*Event* *Calendar* *Attendee* *RSVP*'],
  ['CommunityChanged', '*Board* *Discussion* *Thread* *Forum* *Community* *Posting* *Job* *Corporate*'],
  ['MembershipChanged', '*Membership* *Plan* *Fee* *Subscription* *Application* *Renewal* *Renewed*'],
  ['MemberChanged', '*Contact* *Member* *Email* *Phone* *Address* *Education* *Work*History* *Photo* *Profile*'],
  ['SettingsChanged', '*Organisation* *Organization* *Country* *City* *Company* *School* *Sector* *Role* *Permission*'],
  // Last, because these are often verbs: a paid fee is a fee, and the service has types such as `DebtPost`.
  ['PaymentChanged', '*Paid*'],
  ['CommunityChanged', '*Post* *Comment*'],
];

/** Longer than any real action key. The rest of a longer one is ignored. */
const MAX_KEY_LENGTH = 256;
/** Keys cached per table: a service has some hundreds, and a hostile one must not fill the memory. */
const MAX_CACHED_KEYS = 2_000;

/**
 * The detail type of an action. Logins, reads and exports are always `OtherActionLogged`. Else `configured` decides,
 * then the built-in table. A key that nothing matches, or a missing one, is `OtherActionLogged`.
 */
export function toDetailType(actionKey: string | null, configured: DetailTypeTable = NONE): DetailType {
  return (actionKey === null ? null : lookUp(actionKey, configured)) ?? 'OtherActionLogged';
}

/** Whether something says what the key is: a login, a read, an export, `configured` or the built-in table. */
export function isKnownAction(actionKey: string, configured: DetailTypeTable = NONE): boolean {
  return lookUp(actionKey, configured) !== null;
}

function lookUp(actionKey: string, configured: DetailTypeTable): DetailType | null {
  const key = actionKey.slice(0, MAX_KEY_LENGTH);
  const { rows, cached } = tableFor(configured);
  const known = cached.get(key);
  if (known !== undefined) return known;
  if (cached.size >= MAX_CACHED_KEYS) cached.clear();
  const detailType = decide(key, rows);
  cached.set(key, detailType);
  return detailType;
}

const NONE: DetailTypeTable = {};

/** A wildcard split at its asterisks: as written (only in settings), and in words (if it has any). */
type Row = { detailType: DetailType; written: string[] | null; spelled: string[] | null };
/** `cached`: null where nothing matches the key. */
type Table = { rows: Row[]; cached: Map<string, DetailType | null> };
const tables = new WeakMap<DetailTypeTable, Table>();

function tableFor(configured: DetailTypeTable): Table {
  const known = tables.get(configured);
  if (known !== undefined) return known;
  const table = { rows: [...toConfiguredRows(configured), ...toBuiltInRows()], cached: new Map() };
  tables.set(configured, table);
  return table;
}

function toConfiguredRows(configured: DetailTypeTable): Row[] {
  return (Object.entries(configured) as [DetailType, readonly string[] | undefined][]).flatMap(
    ([detailType, wildcards]) => (wildcards ?? []).map((text) => ({ detailType, ...toParts(text) })),
  );
}

function toParts(wildcard: string): Pick<Row, 'written' | 'spelled'> {
  return { written: wildcard.toLowerCase().split('*'), spelled: toWordParts(wildcard) };
}

/** Whether an action key matches a wildcard, as written or in words, like those of a `DetailTypeTable`. */
export function createWildcard(wildcard: string): (actionKey: string) => boolean {
  const { written, spelled } = toParts(wildcard);
  return (actionKey) => {
    const key = actionKey.slice(0, MAX_KEY_LENGTH);
    return matches(spelled, spell(toWords(key))) || matches(written, key.toLowerCase());
  };
}

function toBuiltInRows(): Row[] {
  return BUILT_IN.flatMap(([detailType, wildcards]) =>
    wildcards.split(' ').map((text) => ({ detailType, written: null, spelled: toWordParts(text) })),
  );
}

function decide(key: string, rows: readonly Row[]): DetailType | null {
  const words = toWords(key);
  if (changesNothing(words)) return 'OtherActionLogged';
  const written = key.toLowerCase();
  const spelled = spell(words);
  const decisive = rows.find((row) => matches(row.spelled, spelled) || matches(row.written, written));
  return decisive?.detailType ?? null;
}

function toWordParts(wildcard: string): string[] | null {
  if (toWords(wildcard).length === 0) return null;
  return wildcard.split('*').map((part) => spell(toWords(part)));
}

/** Words as one text in which only whole words match. */
function spell(words: readonly string[]): string {
  return words.map((word) => ` ${word} `).join('');
}

function matches(parts: readonly string[] | null, text: string): boolean {
  return parts !== null && isMadeOf(parts, text);
}
