// Learning where the continuation stands and how the service ends its walks.
import { isEndNamed, type ServiceProfile } from '../../source/service-profile.ts';
import type { PageRequest } from '../request/next-request.ts';
import type { Continuation } from '../../membership/continuation.ts';
import type { RequestParams } from '../../source/state.ts';
import type { WalkDecision } from '../walk/walk-end.ts';
import type { ProfileUpdate } from './profile-update.ts';

/** Learns where continuations stand. A null shows no place: it may stand on every page although there is more (S70). */
export function learnPlace(profile: ServiceProfile, { place, value }: Continuation): ProfileUpdate {
  const { place: before, isProven } = profile.continuation;
  if (value === null || (place === before && isProven === true)) return { profile, changes: [] };
  const changes = before === null || place === before ? [] : [{ kind: 'continuation', before, after: place }];
  return { profile: withContinuation(profile, { place, isProven: true }), changes };
}

/**
 * The request for half of the first page of a walk that names no next one; null where that is known to be the end, or
 * known not to be. A service with more to name than it shows names it then.
 */
export function halfToRequest(
  profile: ServiceProfile,
  {
    sent,
    value,
    params,
    entries,
  }: { sent: string | null; value: string | null; params: RequestParams; entries: number },
): PageRequest | null {
  if (sent !== null || value !== null || entries < 2) return null;
  // It does not obey the page size: half of its page would be the same page, and both would have to fit into memory.
  if (entries > params.pageSize) return null;
  if (profile.continuation.isProven !== undefined || isEndNamed(profile)) return null;
  return { params: { ...params, pageSize: Math.floor(entries / 2) }, continuation: null, variant: null };
}

/** Learns from half of a page whether pages name the next one. `wasTrusted`: until now their silence was the end. */
export function learnHalf(
  profile: ServiceProfile,
  found: Continuation,
): { profile: ServiceProfile; wasTrusted: boolean } {
  if (found.value !== null) return { profile: learnPlace(profile, found).profile, wasTrusted: false };
  const refuted = withContinuation(profile, { place: null, isProven: false, endsWalks: false });
  return { profile: refuted, wasTrusted: profile.continuation.place !== null };
}

/**
 * Learns whether the service keeps the place of a walk: it does where a page with something new came for the same
 * continuation as the page before, and not where a page names another one.
 */
export function learnKeptPlace(
  profile: ServiceProfile,
  { sent, value, isSecond }: { sent: string | null; value: string | null; isSecond: boolean },
): ServiceProfile {
  const keepsPlace = isSecond || (sent !== null && value !== null && value !== sent ? false : null);
  if (keepsPlace === null || keepsPlace === profile.continuation.keepsPlace) return profile;
  return withContinuation(profile, { keepsPlace });
}

/** Walks in a row that must get stuck before no-progress pages may end the walks of this service again. */
const STUCK_WALKS_TO_UNLEARN = 3;

/** Learns from the end of a walk how the service ends its walks. */
export function learnEnd(profile: ServiceProfile, decision: WalkDecision, continuation: string | null): ProfileUpdate {
  const { noProgressEnds, stuckWalks } = profile.continuation;
  if (decision === 'noProgressEnd')
    return { profile: withContinuation(profile, { noProgressEnds: noProgressEnds + 1 }), changes: [] };
  if (decision === 'end' && continuation === null && isEndNamed(profile))
    return { profile: withContinuation(profile, { endsWalks: true, stuckWalks: 0 }), changes: [] };
  if (decision !== 'stuck') return { profile, changes: [] };
  if (stuckWalks + 1 < STUCK_WALKS_TO_UNLEARN)
    return { profile: withContinuation(profile, { stuckWalks: stuckWalks + 1 }), changes: [] };
  const changes = [{ kind: 'walkEnd', before: 'without a continuation', after: 'never' }];
  return { profile: withContinuation(profile, { stuckWalks: 0, endsWalks: false }), changes };
}

function withContinuation(profile: ServiceProfile, learned: Partial<ServiceProfile['continuation']>): ServiceProfile {
  return { ...profile, continuation: { ...profile.continuation, ...learned } };
}
