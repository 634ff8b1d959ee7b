// The methods of the client and their types, by the operation table.
import type { AnswerOf } from './answer.ts';
import type { CallInput } from './call-input.ts';
import type { OPERATIONS, OperationName } from './operations.ts';
import type { PageLimits } from './paging.ts';
import type { ActionLogApiDto } from './records.ts';

type Resource = Exclude<(typeof OPERATIONS)[number]['resource'], 'token'>;
type NamesOf<Each extends Resource> = Extract<(typeof OPERATIONS)[number], { readonly resource: Each }>['name'];

/** The methods by resource, each with its operation. */
export const METHODS = {
  actionLogs: { list: 'listActionLogs' },
  applications: { list: 'listApplications' },
  debts: { list: 'listDebts', create: 'createDebt', get: 'getDebt', update: 'updateDebt', delete: 'deleteDebt' },
  donations: {
    list: 'listDonations',
    create: 'createDonation',
    get: 'getDonation',
    update: 'updateDonation',
    delete: 'deleteDonation',
  },
  payments: {
    list: 'listPayments',
    create: 'createPayment',
    get: 'getPayment',
    update: 'updatePayment',
    delete: 'deletePayment',
  },
  plans: { list: 'listPlans', get: 'getPlan' },
  tags: {
    list: 'listTags',
    create: 'createTag',
    get: 'getTag',
    update: 'updateTag',
    delete: 'deleteTag',
    addMembers: 'addTagMembers',
    removeMembers: 'removeTagMembers',
    listMembers: 'listTagMembers',
  },
  account: { get: 'getAccount' },
  settings: { get: 'getSettings' },
  contacts: { list: 'listContacts', create: 'createContact' },
  events: { list: 'listEvents' },
  boards: { list: 'listBoards' },
  countries: { list: 'listCountries' },
} as const satisfies { readonly [Each in Resource]: Readonly<Record<string, NamesOf<Each>>> };

/** The lists that come in pages, and the method that reads each to its end. */
export const ITERATORS = {
  actionLogs: { each: 'listActionLogs' },
  applications: { each: 'listApplications' },
  contacts: { each: 'listContacts' },
  tags: { eachMember: 'listTagMembers' },
} as const satisfies { readonly [Each in Resource]?: Readonly<Record<string, NamesOf<Each>>> };

type Methods = typeof METHODS;
type Iterators = typeof ITERATORS;
type Inner<Groups> = { [Each in keyof Groups]: Groups[Each][keyof Groups[Each]] }[keyof Groups];
type Paged = Extract<(typeof OPERATIONS)[number], { readonly paging: 'continuation' | 'offset' | 'page' }>['name'];
type Nothing<None extends never> = None;
/** Do not compile where an operation of the table has no method, or a list in pages no iterator. */
export type WithoutMethod = Nothing<Exclude<OperationName, 'requestToken' | Inner<Methods>>>;
export type WithoutIterator = Nothing<Exclude<Paged, Inner<Iterators>>>;

/** One page of the action log. `continuation` is the `requestContinuation` of the next, null where the page names none. */
export type ActionLogEntries = { entries: ActionLogApiDto[]; continuation: string | null };

type Result<Name extends OperationName> = Name extends 'listActionLogs' ? ActionLogEntries : AnswerOf<Name>;
type Needed<Input> = { [Key in keyof Input as Input extends Record<Key, Input[Key]> ? Key : never]: Input[Key] };
type Method<Name extends OperationName> = keyof Needed<CallInput<Name>> extends never
  ? (input?: CallInput<Name>) => Promise<Result<Name>>
  : (input: CallInput<Name>) => Promise<Result<Name>>;

/** What an iterator sets itself. */
type Position = 'offset' | 'page' | 'requestContinuation';
export type EachInput<Name extends OperationName> = Omit<CallInput<Name>, Position> &
  PageLimits &
  (Name extends 'listTagMembers' ? { firstPage?: 0 | 1 } : unknown);
type ItemOf<Name extends OperationName> = AnswerOf<Name> extends readonly (infer Item)[] ? Item : never;
type ReadEach<Name extends OperationName> = keyof Needed<EachInput<Name>> extends never
  ? (input?: EachInput<Name>) => AsyncGenerator<ItemOf<Name>, void>
  : (input: EachInput<Name>) => AsyncGenerator<ItemOf<Name>, void>;

/** A group's methods, and its iterators. */
type Group<Each extends keyof Methods> = {
  readonly [Key in keyof Methods[Each]]: Methods[Each][Key] extends OperationName ? Method<Methods[Each][Key]> : never;
} & (Each extends keyof Iterators
  ? {
      readonly [Key in keyof Iterators[Each]]: Iterators[Each][Key] extends OperationName
        ? ReadEach<Iterators[Each][Key]>
        : never;
    }
  : unknown);

/**
 * One method per operation, grouped by resource; each takes one object with the operation's parameters, `body`, `organisationId`, `signal` and `timeoutMs`.
 *
 * A call rejects with a BridgeError whose details hold operation, status and request id: RequestInvalid (nothing was sent), Unauthorized, PermissionDenied, RateLimited,
 * RequestRefused, ContinuationRefused, ServiceUnavailable, ServiceTimeout, ResponseTooLarge, ResponseInvalid, RedirectRefused, CredentialsNotSet, CredentialsUnreadable,
 * CredentialsRefused. A cancelled call rejects with the reason of its signal, as `fetch` does. Reads are repeated where a failure may pass. A write is repeated
 * only where it surely did nothing (refused connection, 429, 401); `details.mayHaveActed` says where that is not known, and such an error is not retryable.
 *
 * `each` and `eachMember` read a list to its end, at most 10,000 pages and 250,000 records (`maxPages`, `maxRecords`), beyond which they reject with WalkDidNotEnd;
 * `timeoutMs` bounds each page. How each kind of paging ends stands in paging.ts.
 */
export type MembershipClient = { readonly [Each in keyof Methods]: Group<Each> } & {
  /** Gives the sockets back, those of calls in flight when these are done. A later call opens new ones. */
  close: () => Promise<void>;
};
