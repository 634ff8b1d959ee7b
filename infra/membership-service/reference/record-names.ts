// The invented names of every record's fields, in both styles, as tables.
import * as names from '../records/record-names.ts';
import { code, table } from './tables.ts';

/** By what they are called on the page. */
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
  const rows = Object.entries(RECORDS).map(([record, shape]) => {
    const styles = Object.values(shape);
    const long = styles.map(([name]) => code(name));
    const short = styles.map(([, name]) => (name === null ? 'none' : code(name)));
    return [record, long.join(', '), short.join(', ')];
  });
  return table(['Record', 'long', 'short'], rows);
}
