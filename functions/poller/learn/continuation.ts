// Learning where the continuation stands and how the service ends its walks.
import type { ServiceProfile } from '../../source/service-profile.ts';
import type { WalkDecision } from '../sweep/walk-end.ts';
import type { ProfileUpdate } from './profile-update.ts';

/** Learns where continuations stand; `place` is null where the page shows none. */
export function learnPlace(profile: ServiceProfile, place: string | null): ProfileUpdate {
  const before = profile.continuation.place;
  if (place === null || place === before) return { profile, changes: [] };
  const changes = before === null ? [] : [{ kind: 'continuation', before, after: place }];
  return { profile: withContinuation(profile, { place }), changes };
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
  const { place, noProgressEnds, stuckWalks } = profile.continuation;
  if (decision === 'noProgressEnd')
    return { profile: withContinuation(profile, { noProgressEnds: noProgressEnds + 1 }), changes: [] };
  if (decision === 'end' && continuation === null && place !== null)
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
