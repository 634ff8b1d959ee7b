// The real organisation for the contract, if the environment names one.
import { readBaseUrl } from '../../../functions/membership/base-url.ts';
import { operationOf } from '../../../functions/membership/operations.ts';
import { openRealWorld, send, type World } from './world.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = ['MEMBERSHIP_URL', 'MEMBERSHIP_USERNAME', 'MEMBERSHIP_PASSWORD'] as const;

/** Null if none is named. Throws for incomplete settings, and for an address to which the client sends no password. */
export function realWorld(environment: Environment): (() => Promise<World>) | null {
  const [url, username, password] = NAMES.map((name) => environment[name] ?? '');
  if (url === undefined || url === '') return null;
  const missing = NAMES.filter((name) => (environment[name] ?? '') === '');
  if (missing.length > 0) throw new Error(`MEMBERSHIP_URL is set; set ${missing.join(' and ')} as well.`);
  readBaseUrl(url);
  const given = { url, username: username ?? '', password: password ?? '' };
  const mayWrite = environment['MEMBERSHIP_WRITE'] === 'yes';
  const organisationId = environment['MEMBERSHIP_ORGANISATION_ID'] ?? '';
  return async () => {
    const world = await openRealWorld({ ...given, organisationId, mayWrite });
    if (organisationId !== '') return world;
    const { text } = await send(world, operationOf('getAccount'));
    return { ...world, ...(await firstReachable(world, text)) };
  };
}

/** The fields of the account are not documented: the first UUID whose settings can be read is the organisation. */
async function firstReachable(world: World, account: string): Promise<Pick<World, 'organisationId' | 'whole'>> {
  const ids = account.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi) ?? [];
  for (const organisationId of new Set(ids)) {
    const { status } = await send(world, operationOf('getSettings'), { organisationId });
    if (status === 200) return { organisationId, whole: { ...world.whole, organisationId } };
  }
  throw new Error('The account names no organisation that can be read. Set MEMBERSHIP_ORGANISATION_ID.');
}
