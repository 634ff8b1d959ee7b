// The worlds of the contract: the local membership service with a personality, or a real organisation.
import type { Operation } from '../../../functions/membership/operation.ts';
import { operationOf, type OperationName } from '../../../functions/membership/operations.ts';
import { parseJson, type JsonValue } from '../../../functions/shared/json.ts';
import { TAG_MEMBERS } from '../../../infra/membership-service/records/record-names.ts';
import { toRecord } from '../../../infra/membership-service/records/record-shape.ts';
import { createSeededOrganisations } from '../../../infra/membership-service/organisation/seeded-organisation.ts';
import {
  createFaults,
  personalities,
  startMembershipService,
  type MembershipService,
  type Personality,
  type PersonalityName,
} from '../../../infra/membership-service/service.ts';

/** A service and its caller. */
export type Party = { url: string; organisationId: string; token: string };

export type World = Party & {
  name: string;
  /** Null for a real organisation. */
  personality: Personality | null;
  mayWrite: boolean;
  credentials: { username: string; password: string };
  /** An organisation that the user does not administer. */
  otherOrganisationId: string;
  /** Null if there is none. */
  expiredToken: string | null;
  /** The token of a user whose role is restricted to finance. */
  restrictedToken: string | null;
  /** Where ids and records are looked up: this service, or an equal one that lacks no operation. */
  whole: Party;
  /** Writes the body of AddMembers; null if its field is not known. */
  memberList: ((contactIds: readonly string[]) => string) | null;
  /** The number of records of paged lists before any write, for members of the first tag. Null if not known. */
  sizes: Partial<Record<OperationName, () => number>> | null;
  /** Ids of created records that are not removed yet, with the operation that removes each. */
  made: { remove: Operation; id: string }[];
  /** The number of ids in use for changes, by path. */
  given: Map<string, number>;
  close: () => Promise<void>;
};

export type Call = {
  id?: string;
  organisationId?: string;
  query?: Readonly<Record<string, string>>;
  /** The text of the body. */
  body?: string;
  contentType?: string;
  /** Null: none is sent. */
  token?: string | null;
};

export type Answered = { status: number; text: string; headers: Readonly<Record<string, string>> };

const HISTORY = { entries: 130, days: 20 };
const HOUR_MS = 3_600_000;
const SEED = 1;

/** Starts the local service without some operations. Ids are looked up at a complete one with the same seed. */
export async function startLocalWorld(name: PersonalityName, without: readonly OperationName[] = []): Promise<World> {
  await using closing = new AsyncDisposableStack();
  let pastMs = 2 * HOUR_MS;
  const options = { personality: name, seed: SEED, history: HISTORY };
  const others = without.filter((each) => each !== 'requestToken');
  const service = await startMembershipService({ ...options, without: others, clock: () => Date.now() - pastMs });
  closing.defer(async () => await service.close());
  const other = await startMembershipService({ ...options, clock: () => Date.now() });
  closing.defer(async () => await other.close());
  const expiredToken = await logIn(service.url, service);
  pastMs = 0;
  const restricted = service.users.find(({ role }) => role === 'finance');
  const { personality, organisationId } = service;
  const party = { url: service.url, organisationId, token: await logIn(service.url, service) };
  const restrictedToken = restricted ? await logIn(service.url, restricted) : null;
  // Removed last: without a login no other operation could be called.
  if (others.length < without.length) service.faults = createFaults({ unavailable: true, filter: '/token' });
  const opened = closing.move();
  return {
    ...party,
    name: `local: ${name}`,
    personality,
    mayWrite: true,
    credentials: service,
    otherOrganisationId: service.organisations.find(({ id }) => id !== organisationId)?.id ?? '',
    expiredToken,
    restrictedToken,
    whole: { url: other.url, organisationId, token: await logIn(other.url, other) },
    memberList: (ids) => JSON.stringify(toRecord(TAG_MEMBERS, personalities[name].records, { memberIds: [...ids] })),
    sizes: seededSizes(service),
    made: [],
    given: new Map(),
    close: async () => await opened.disposeAsync(),
  };
}

/** The sizes from the seed, independent of the answers of the service. */
function seededSizes(service: MembershipService): World['sizes'] {
  const { contacts, applications, tags, events, boards, countries, ...books } = createSeededOrganisations(SEED).seeded;
  const [tag] = tags.values();
  return {
    listActionLogs: () => service.entries().length,
    listContacts: () => contacts.size,
    listApplications: () => applications.size,
    listDebts: () => books.debts.size,
    listDonations: () => books.donations.size,
    listPayments: () => books.payments.size,
    listPlans: () => books.plans.size,
    listTags: () => tags.size,
    listTagMembers: () => tag?.memberIds.length ?? 0,
    listEvents: () => events.length,
    listBoards: () => boards.length,
    listCountries: () => countries.length,
  };
}

/** Opens a real organisation. */
export async function openRealWorld(given: {
  url: string;
  username: string;
  password: string;
  organisationId: string;
  mayWrite: boolean;
}): Promise<World> {
  const { username, password, organisationId, mayWrite } = given;
  const url = given.url.replace(/\/+$/, '');
  const party = { url, organisationId, token: await logIn(url, given) };
  return {
    ...party,
    name: `real: ${new URL(url).host}`,
    personality: null,
    mayWrite,
    credentials: { username, password },
    otherOrganisationId: '00000000-0000-4000-8000-000000000000',
    expiredToken: null,
    restrictedToken: null,
    whole: party,
    memberList: null,
    sizes: null,
    made: [],
    given: new Map(),
    close: async () => await Promise.resolve(),
  };
}

export async function send(at: Party, operation: Operation, call: Call = {}): Promise<Answered> {
  const { id = '', organisationId = at.organisationId, query = {}, token = at.token } = call;
  const path = operation.path.replace('{organisationId}', organisationId).replace('{id}', id);
  const search = new URLSearchParams(query).toString();
  const { body, contentType = 'application/json' } = call;
  const headers = {
    ...(token === null || operation.authorization === 'none' ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  const address = `${at.url}${path}${search === '' ? '' : `?${search}`}`;
  const answer = await fetch(address, { method: operation.method, headers, body, redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) };
}

/** The list in an answer, with or without the envelope; null if there is none. */
export function listIn({ text }: Pick<Answered, 'text'>): JsonValue[] | null {
  try {
    const value = parseJson(text);
    const list = Array.isArray(value) ? value : (value as { data?: JsonValue } | null)?.data;
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

async function logIn(url: string, { username, password }: { username: string; password: string }): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username, password }).toString();
  const contentType = 'application/x-www-form-urlencoded';
  const at = { url, organisationId: '', token: '' };
  const { status, text } = await send(at, operationOf('requestToken'), { body, contentType });
  if (status !== 200) throw new Error(`The login was answered ${status}.`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}
