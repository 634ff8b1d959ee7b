// From the verbatim action key to the detail type: a convenience for rules on the bus, by a table of wildcards.
import { isMadeOf } from '../shared/text-parts.ts';
import { isQuiet, toWords } from './action-words.ts';
import type { DetailType } from './event.ts';

/**
 * Wildcards on the action key by detail type; the first that matches decides, in the order written. A wildcard matches the key as it is
 * written (case aside, `*` for any letters), or the key's words, `*` then standing for whole words: `Contact*` matches
 * `ContactCreated`, `contact.created` and `CONTACTS_IMPORT`.
 */
export type DetailTypeTable = Readonly<Partial<Record<DetailType, readonly string[]>>>;

/**
 * Assumption A7: the interface document does not show the action keys, so this table goes by the names of the service's resources. It matches whole words only,
 * the compound before its parts (a membership fee is no member, a corporate member belongs to the community).
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
  // Last, because they are verbs as often: a paid fee is a fee, and the service names its write types `DebtPost`.
  ['PaymentChanged', '*Paid*'],
  ['CommunityChanged', '*Post* *Comment*'],
];

/** No action key is longer; what lies beyond is not looked at. */
const LONGEST_KEY = 256;
/** Keys remembered per table: a service has some hundreds, and a hostile one must not fill the memory. */
const KEYS_REMEMBERED = 2_000;

/**
 * The detail type of an action. Logins, reads and exports are always `OtherActionLogged`, whatever `configured` says; then `configured` is consulted,
 * then the built-in table; a key that nothing matches, and none at all, is `OtherActionLogged`.
 */
export function toDetailType(actionKey: string | null, configured: DetailTypeTable = NONE): DetailType {
  if (actionKey === null) return 'OtherActionLogged';
  const key = actionKey.slice(0, LONGEST_KEY);
  const { rows, remembered } = tableFor(configured);
  const known = remembered.get(key);
  if (known !== undefined) return known;
  if (remembered.size >= KEYS_REMEMBERED) remembered.clear();
  const detailType = decide(key, rows);
  remembered.set(key, detailType);
  return detailType;
}

const NONE: DetailTypeTable = {};

/** A wildcard cut at its stars: as it is written (the setting's only), and word by word (where it has words). */
type Row = { detailType: DetailType; written: string[] | null; spelled: string[] | null };
type Table = { rows: Row[]; remembered: Map<string, DetailType> };
const tables = new WeakMap<DetailTypeTable, Table>();

function tableFor(configured: DetailTypeTable): Table {
  const known = tables.get(configured);
  if (known !== undefined) return known;
  const table = { rows: [...toConfiguredRows(configured), ...toBuiltInRows()], remembered: new Map() };
  tables.set(configured, table);
  return table;
}

function toConfiguredRows(configured: DetailTypeTable): Row[] {
  return (Object.entries(configured) as [DetailType, readonly string[] | undefined][]).flatMap(
    ([detailType, wildcards]) =>
      (wildcards ?? []).map((text) => ({
        detailType,
        written: text.toLowerCase().split('*'),
        spelled: toWordParts(text),
      })),
  );
}

function toBuiltInRows(): Row[] {
  return BUILT_IN.flatMap(([detailType, wildcards]) =>
    wildcards.split(' ').map((text) => ({ detailType, written: null, spelled: toWordParts(text) })),
  );
}

function decide(key: string, rows: readonly Row[]): DetailType {
  const words = toWords(key);
  if (isQuiet(words)) return 'OtherActionLogged';
  const written = key.toLowerCase();
  const spelled = spell(words);
  const decisive = rows.find((row) => matches(row.spelled, spelled) || matches(row.written, written));
  return decisive?.detailType ?? 'OtherActionLogged';
}

function toWordParts(wildcard: string): string[] | null {
  if (toWords(wildcard).length === 0) return null;
  return wildcard.split('*').map((part) => spell(toWords(part)));
}

/** Words as one text in which a word can only be found as a whole. */
function spell(words: readonly string[]): string {
  return words.map((word) => ` ${word} `).join('');
}

function matches(parts: readonly string[] | null, text: string): boolean {
  return parts !== null && isMadeOf(parts, text);
}
