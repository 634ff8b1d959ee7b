// The operation table: every operation of the interface document, in its order. The client, the local membership
// service, the contract tests and the reference are derived from it.
import {
  arrayOf,
  asks,
  envelopeList,
  envelopeOne,
  jsonObject,
  noContent,
  notShown,
  one,
  operation,
  takes,
} from './operation.ts';

const ORGANISATION = '/organisations/{organisationId}';
const DEBTS = `${ORGANISATION}/debts` as const;
const DONATIONS = `${ORGANISATION}/donations` as const;
const PAYMENTS = `${ORGANISATION}/payments` as const;
const TAGS = `/admin${ORGANISATION}/tags` as const;

/** Filtered lists accept q (rule 8); which those are is not shown (Assumption A29). */
const FILTERED = { general: asks('q json').query } as const;
const UNSTATED_LIST = { general: asks('pageSize int32', 'offset int32', 'q json').query, paging: 'unstated' } as const;
const PATH_ONLY = { documented: 'path' } as const;
/** List endpoints accept pageSize and offset (rule 8), unless the document's row names other parameters, or none. */
const PATH_ONLY_LIST = {
  ...PATH_ONLY,
  ...FILTERED,
  ...asks('pageSize int32', 'offset int32'),
  paging: 'offset',
} as const;

/** `POST /token`, the 27 operations with a documented payload, and the 7 with method, path and purpose only. */
export const OPERATIONS = [
  operation('requestToken', 'token', 'POST /token', one('Token'), 'a bearer token for an admin user', {
    body: { encoding: 'form', type: 'TokenRequest' },
    authorization: 'none',
    errors: [400],
  }),
  operation(
    'listActionLogs',
    'actionLogs',
    'GET /app/actionlogs',
    envelopeList('ActionLogApiDto'),
    'the audit trail of actions',
    {
      ...asks(
        'pageSize int32',
        'requestContinuation string',
        'actionKeys string',
        'organisationMembershipId uuid',
        'startDate date-time',
        'endDate date-time',
      ),
      paging: 'continuation',
    },
  ),
  operation(
    'listApplications',
    'applications',
    `GET ${ORGANISATION}/applications`,
    envelopeList('dictionary of string'),
    'applications for membership',
    { ...asks('pageSize int32', 'offset int32', 'searchText string'), ...FILTERED, paging: 'offset' },
  ),
  operation('listDebts', 'debts', `GET ${DEBTS}`, arrayOf('DebtDto'), 'all debts', UNSTATED_LIST),
  operation('createDebt', 'debts', `POST ${DEBTS}`, one('DebtDto'), 'a new debt', takes('DebtPostDto')),
  operation('getDebt', 'debts', `GET ${DEBTS}/{id}`, one('DebtDto'), 'one debt'),
  operation('updateDebt', 'debts', `PUT ${DEBTS}/{id}`, jsonObject, 'a debt replaced', takes('DebtPostDto')),
  operation('deleteDebt', 'debts', `DELETE ${DEBTS}/{id}`, jsonObject, 'a debt removed'),
  operation('listDonations', 'donations', `GET ${DONATIONS}`, arrayOf('DonationDto'), 'all donations', UNSTATED_LIST),
  operation(
    'createDonation',
    'donations',
    `POST ${DONATIONS}`,
    one('DonationDto'),
    'a new donation',
    takes('DonationPostDto'),
  ),
  operation('getDonation', 'donations', `GET ${DONATIONS}/{id}`, one('DonationDto'), 'one donation'),
  operation(
    'updateDonation',
    'donations',
    `PUT ${DONATIONS}/{id}`,
    jsonObject,
    'a donation replaced',
    takes('DonationPostDto'),
  ),
  operation('deleteDonation', 'donations', `DELETE ${DONATIONS}/{id}`, jsonObject, 'a donation removed'),
  operation('listPayments', 'payments', `GET ${PAYMENTS}`, arrayOf('AdminPaymentDto'), 'all payments', UNSTATED_LIST),
  operation(
    'createPayment',
    'payments',
    `POST ${PAYMENTS}`,
    one('AdminPaymentDto'),
    'a new payment',
    takes('AdminPaymentPostDto'),
  ),
  operation('getPayment', 'payments', `GET ${PAYMENTS}/{id}`, one('AdminPaymentDto'), 'one payment'),
  operation(
    'updatePayment',
    'payments',
    `PUT ${PAYMENTS}/{id}`,
    jsonObject,
    'a payment replaced',
    takes('AdminPaymentPostDto'),
  ),
  operation('deletePayment', 'payments', `DELETE ${PAYMENTS}/{id}`, one('AdminPaymentDto'), 'a payment removed'),
  operation(
    'listPlans',
    'plans',
    `GET ${ORGANISATION}/plans`,
    envelopeList('CustomPlanDto'),
    'all membership plans',
    UNSTATED_LIST,
  ),
  operation('getPlan', 'plans', `GET ${ORGANISATION}/plans/{id}`, envelopeOne('CustomPlanDto'), 'one membership plan'),
  operation('listTags', 'tags', `GET ${TAGS}`, arrayOf('AdminTagDto'), 'all tags, or those that match a text', {
    ...asks('text string'),
    ...UNSTATED_LIST,
  }),
  operation('createTag', 'tags', `POST ${TAGS}`, one('AdminPostTagDto'), 'a new tag', takes('AdminPostTagDto')),
  operation('getTag', 'tags', `GET ${TAGS}/{id}`, one('AdminTagDto'), 'one tag'),
  operation('updateTag', 'tags', `PUT ${TAGS}/{id}`, noContent, 'a tag replaced', takes('AdminPostTagDto')),
  operation('deleteTag', 'tags', `DELETE ${TAGS}/{id}`, one('AdminTagDto'), 'a tag removed'),
  operation(
    'addTagMembers',
    'tags',
    `POST ${TAGS}/{id}/AddMembers`,
    one('AdminPostTagMemberListDto'),
    'members added to a tag',
    takes('AdminPostTagMemberListDto'),
  ),
  operation(
    'removeTagMembers',
    'tags',
    `POST ${TAGS}/{id}/RemoveMembers`,
    one('AdminPostTagMemberListDto'),
    'members removed from a tag',
    takes('AdminPostTagMemberListDto'),
  ),
  operation('listTagMembers', 'tags', `GET ${TAGS}/{id}/members`, notShown, 'the members of a tag', {
    ...asks('page int32', 'pageSize int32'),
    paging: 'page',
  }),
  operation(
    'getAccount',
    'account',
    'GET /public/account/me',
    notShown,
    'the calling user and the organisations it reaches',
    PATH_ONLY,
  ),
  operation(
    'getSettings',
    'settings',
    `GET /app${ORGANISATION}/settings`,
    notShown,
    'the settings of the organisation',
    PATH_ONLY,
  ),
  operation('listContacts', 'contacts', `GET ${ORGANISATION}/contacts`, notShown, 'members and contacts', {
    ...PATH_ONLY,
    ...asks('pageSize int32', 'offset int32', 'q json'),
    paging: 'offset',
  }),
  operation('createContact', 'contacts', `POST ${ORGANISATION}/contacts`, notShown, 'a new member or contact', {
    ...PATH_ONLY,
    body: { encoding: 'json', type: null },
  }),
  operation('listEvents', 'events', `GET /app${ORGANISATION}/events`, notShown, 'calendar events', PATH_ONLY_LIST),
  operation('listBoards', 'boards', `GET ${ORGANISATION}/boards`, notShown, 'discussion boards', PATH_ONLY_LIST),
  operation('listCountries', 'countries', `GET /app${ORGANISATION}/countries`, notShown, 'countries', PATH_ONLY_LIST),
] as const;

export type OperationName = (typeof OPERATIONS)[number]['name'];

/** The operation with that name, with its literal types. */
export type OperationOf<Name extends OperationName> = Extract<(typeof OPERATIONS)[number], { readonly name: Name }>;

/** Finds an operation by its name. */
export function operationOf<Name extends OperationName>(name: Name): OperationOf<Name> {
  return OPERATIONS.find((each) => each.name === name) as OperationOf<Name>;
}
