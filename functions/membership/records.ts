// The records of the service. The interface document shows their names and none of their fields, so every one is open, and nothing is required of it.
import type { JsonValue } from '../shared/json.ts';

/** A record whose fields are the service's own: every field that comes is kept. A number that JavaScript would change is a `RawNumber`, with its text. */
export type OpenRecord = { readonly [name: string]: JsonValue };

export type ActionLogApiDto = OpenRecord;
/** An application for membership: a dictionary of texts, which is checked; their names are not shown. Null is a text that is not there. */
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

/** What the operations known by path only take and answer: these names are ours. */
export type ContactRecord = OpenRecord;
export type AccountRecord = OpenRecord;
export type SettingsRecord = OpenRecord;
export type CalendarEventRecord = OpenRecord;
export type BoardRecord = OpenRecord;
/** A member of a tag: a record, or an id alone. */
export type TagMember = JsonValue;
/** A country: a record, or a name alone. */
export type CountryEntry = JsonValue;

/** The types by the names that the document has for them. */
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

/** What comes where the document does not show the answer. `createContact`: whatever the service says of the new contact; null where it says nothing. */
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
