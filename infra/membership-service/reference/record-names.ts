// The invented names of every record's fields, in both styles, as a list.
import * as names from '../records/record-names.ts';
import { code, list } from '../../shared/markdown.ts';

/** By their names on the page. */
const RECORDS: Readonly<Record<string, Readonly<Record<string, readonly [long: string, short: string | null]>>>> = {
  contact: names.CONTACT,
  plan: names.PLAN,
  tag: names.TAG,
  'members of a tag, as sent': names.TAG_MEMBERS,
  payment: names.PAYMENT,
  debt: names.DEBT,
  donation: names.DONATION,
  application: names.APPLICATION,
  'calendar event': names.CALENDAR_EVENT,
  board: names.BOARD,
  country: names.COUNTRY,
  settings: names.SETTINGS,
  account: names.ACCOUNT,
  'organisation of an account': names.REACHABLE,
  'a change that was made': names.DONE,
};

export function recordNamesText(): string {
  return list(
    Object.entries(RECORDS).map(([record, shape]) => {
      const fields = Object.values(shape).map(
        ([long, short]) => `${code(long)} (${short === null ? 'none' : code(short)})`,
      );
      return `${record}: ${fields.join(', ')}`;
    }),
  );
}
