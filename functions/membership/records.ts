// The records of the service. The document shows their names but no fields, so every record is open.
import type { JsonValue } from '../shared/json.ts';

/**
 * A record that keeps every field that comes. A number that is another one in JavaScript, such as an id beyond 2^53, is
 * a `RawNumber` with its text.
 */
export type OpenRecord = { readonly [name: string]: JsonValue };

export type ActionLogApiDto = OpenRecord;
/** An application for membership: a dictionary of texts, which is checked. Null is a missing text. */
export type ApplicationRecord = { readonly [name: string]: string | null };
export type DebtDto = OpenRecord;
export type DebtPostDto = OpenRecord;
export type DonationDto = OpenRecord;
export type DonationPostDto = OpenRecord;
export type AdminPaymentDto = OpenRecord;
export type AdminPaymentPostDto = OpenRecord;
export type CustomPlanDto = OpenRecord;
export type AdminTagDto = OpenRecord;
export type AdminPostTagDto = OpenRecord;
export type AdminPostTagMemberListDto = OpenRecord;

/** Records of the operations that are documented by path only: the names of these types are ours. */
export type ContactRecord = OpenRecord;
export type AccountRecord = OpenRecord;
export type SettingsRecord = OpenRecord;
export type CalendarEventRecord = OpenRecord;
export type BoardRecord = OpenRecord;
/** A member of a tag: a record or only an id. */
export type TagMember = JsonValue;
/** A country: a record or only a name. */
export type CountryEntry = JsonValue;

/** The types by their documented names. */
export type DocumentedRecords = {
  ActionLogApiDto: ActionLogApiDto;
  'dictionary of string': ApplicationRecord;
  DebtDto: DebtDto;
  DebtPostDto: DebtPostDto;
  DonationDto: DonationDto;
  DonationPostDto: DonationPostDto;
  AdminPaymentDto: AdminPaymentDto;
  AdminPaymentPostDto: AdminPaymentPostDto;
  CustomPlanDto: CustomPlanDto;
  AdminTagDto: AdminTagDto;
  AdminPostTagDto: AdminPostTagDto;
  AdminPostTagMemberListDto: AdminPostTagMemberListDto;
};

/** Answers that the document does not show. `createContact`: anything about the new contact, or null. */
export type NotShownRecords = {
  listContacts: ContactRecord[];
  createContact: JsonValue;
  listTagMembers: TagMember[];
  getAccount: AccountRecord;
  getSettings: SettingsRecord;
  listEvents: CalendarEventRecord[];
  listBoards: BoardRecord[];
  listCountries: CountryEntry[];
};
