// Admin users: which organisations each administers, and which resources its role lets it use.
import type { NamedOperation } from './routes.ts';
import type { Personality } from '../personality/personality.ts';
import { uuidFrom } from '../random.ts';

export type Role = 'everything' | 'finance';

export type User = {
  username: string;
  password: string;
  /** As the action log names who did something. */
  name: string;
  role: Role;
  /** Those that it administers; the first is the one meant where a path names none. */
  organisationIds: readonly string[];
};

/** A user beside the admin. */
export type UserToAdd = {
  username: string;
  /** Default: one that follows from the seed. */
  password?: string;
  name?: string;
  role?: Role;
  /** `seeded`: the Premium organisation that everything else here is about; `free`: the small one. */
  administers: readonly ('seeded' | 'free')[];
};

/** One of each kind that a token's rights may be of. */
export const OTHER_USERS: readonly UserToAdd[] = [
  { username: 'finance@example.org', name: 'Finance', role: 'finance', administers: ['seeded'] },
  { username: 'federation@example.org', name: 'Federation', administers: ['seeded', 'free'] },
];

/** A role is taken for a set of resources (A28). The account is everybody's own. */
const FINANCE: readonly string[] = ['account', 'debts', 'donations', 'payments', 'plans'];

/** Whether the user's role lets it use an operation. Whether a restricted one reads the action log is a matter of the personality (Assumption A17). */
export function mayUse({ role }: User, { resource }: NamedOperation, { restrictedLog }: Personality): boolean {
  if (role === 'everything' || FINANCE.includes(resource)) return true;
  return resource === 'actionLogs' && restrictedLog === 'everything';
}

export function toUser(
  { username, password, name, role = 'everything', administers }: UserToAdd,
  { seed, ids }: { seed: number; ids: Readonly<Record<'seeded' | 'free', string>> },
): User {
  return {
    username,
    password: password ?? uuidFrom(`${seed}/password/${username}`),
    name: name ?? username,
    role,
    organisationIds: administers.map((key) => ids[key]),
  };
}
