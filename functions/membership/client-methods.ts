// The methods of the client and their types, derived from the operation table.
import type { AnswerOf } from './answer.ts';
import type { CallInput } from './call-input.ts';
import type { OPERATIONS, OperationName } from './operations.ts';
import type { PageLimits } from './paging.ts';
import type { ActionLogApiDto } from './records.ts';

type Resource = Exclude<(typeof OPERATIONS)[number]['resource'], 'token'>;
type NamesOf<Each extends Resource> = Extract<(typeof OPERATIONS)[number], { readonly resource: Each }>['name'];

/** The methods by resource, each with the name of its operation. */
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

/** The methods that read a paged list to its end. */
export const ITERATORS = {
  actionLogs: { each: 'listActionLogs' },
  applications: { each: 'listApplications' },
  debts: { each: 'listDebts' },
  donations: { each: 'listDonations' },
  payments: { each: 'listPayments' },
  plans: { each: 'listPlans' },
  contacts: { each: 'listContacts' },
  tags: { each: 'listTags', eachMember: 'listTagMembers' },
  events: { each: 'listEvents' },
  boards: { each: 'listBoards' },
  countries: { each: 'listCountries' },
} as const satisfies { readonly [Each in Resource]?: Readonly<Record<string, NamesOf<Each>>> };

type Methods = typeof METHODS;
type Iterators = typeof ITERATORS;
type Inner<Groups> = { [Each in keyof Groups]: Groups[Each][keyof Groups[Each]] }[keyof Groups];
type Paged = Exclude<(typeof OPERATIONS)[number], { readonly paging: 'none' }>['name'];
type Nothing<None extends never> = None;
/** These do not compile where an operation has no method, or a paged list has no iterator. */
export type WithoutMethod = Nothing<Exclude<OperationName, 'requestToken' | Inner<Methods>>>;
export type WithoutIterator = Nothing<Exclude<Paged, Inner<Iterators>>>;

/**
 * One page of the action log. `continuation` is the `requestContinuation` of the next page; null where there is none.
 */
export type ActionLogEntries = { entries: ActionLogApiDto[]; continuation: string | null };

type Result<Name extends OperationName> = Name extends 'listActionLogs' ? ActionLogEntries : AnswerOf<Name>;
type Needed<Input> = { [Key in keyof Input as Input extends Record<Key, Input[Key]> ? Key : never]: Input[Key] };
type Method<Name extends OperationName> = keyof Needed<CallInput<Name>> extends never
  ? (input?: CallInput<Name>) => Promise<Result<Name>>
  : (input: CallInput<Name>) => Promise<Result<Name>>;

/** Parameters that an iterator sets itself. */
type Position = 'offset' | 'page' | 'requestContinuation';
export type EachInput<Name extends OperationName> = Omit<CallInput<Name>, Position> &
  PageLimits &
  (Name extends 'listTagMembers' ? { firstPage?: 0 | 1 | undefined } : unknown);
type ItemOf<Name extends OperationName> = AnswerOf<Name> extends readonly (infer Item)[] ? Item : never;
type ReadEach<Name extends OperationName> = keyof Needed<EachInput<Name>> extends never
  ? (input?: EachInput<Name>) => AsyncGenerator<ItemOf<Name>, void>
  : (input: EachInput<Name>) => AsyncGenerator<ItemOf<Name>, void>;

/** The methods and iterators of a resource. */
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
 * One method per operation, grouped by resource. A method takes one object with the operation's parameters, `body`,
 * `organisationId`, `signal` and `timeoutMs`. `each` and `eachMember` read a list to its end, see paging.ts;
 * `timeoutMs` limits each page, and more than `maxPages` or `maxRecords` rejects with WalkDidNotEnd.
 *
 * A call rejects with a BridgeError with operation, status and request id in its details, RequestInvalid where nothing
 * was sent. A cancelled call rejects with the reason of its signal. Reads are retried after transient failures, writes
 * only where they certainly did nothing; `details.mayHaveActed` marks an unknown outcome, which is not retryable.
 */
export type MembershipClient = { readonly [Each in keyof Methods]: Group<Each> } & {
  /** Closes the sockets, once the calls in flight are done. A later call opens new ones. */
  close: () => Promise<void>;
};
