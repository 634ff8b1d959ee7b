// All settings that shape the service's answers beside the window: a stored walk belongs to one such query.
import { sha256Hex } from '../../shared/json.ts';
import { emptyProfile } from '../../source/service-profile.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { QueryFilters, SourceState, Sweep } from '../../source/state.ts';
import { stageOfNewQuery } from '../walk/stage.ts';
import { openWindow } from '../walk/window.ts';

/** Includes the zone, because a walk's dates are written in it, and the fields by which sentinels are recognised. */
export function queryHashOf(settings: SourceSettings): string {
  const { baseUrl, actionKeys, organisationMembershipId, pageSize, timeZone } = settings;
  const { id, occurredAt, continuation } = settings.fields;
  const query = { baseUrl, actionKeys, organisationMembershipId, pageSize, timeZone, id, occurredAt, continuation };
  return sha256Hex(JSON.stringify(query)).slice(0, 16);
}

/** A sweep whose query has changed begins its walks again: a continuation belongs to the query that returned it. */
export function underQuery(sweep: Sweep, queryHash: string): Sweep {
  if (sweep.queryHash === queryHash) return sweep;
  const windows = sweep.windows.map(({ from, to, stage }) => ({
    ...openWindow({ from, to }),
    stage: stageOfNewQuery(stage),
  }));
  return { ...sweep, queryHash, windows };
}

export type FilterChange = { kind: 'baseUrl' | 'filters' | 'widerFilters'; before: QueryFilters; after: QueryFilters };

/**
 * What a change of the filters since the last run means for the state (S08): under another base URL the profile of the
 * old service is dropped. `change` is null where nothing changed.
 */
export function withFilters(
  { filters: before, profile }: Pick<SourceState, 'filters' | 'profile'>,
  { baseUrl, actionKeys, organisationMembershipId }: QueryFilters,
): { state: Pick<SourceState, 'filters' | 'profile'>; change: FilterChange | null } {
  const after = { baseUrl, actionKeys, organisationMembershipId };
  if (before === null) return { state: { filters: after, profile }, change: null };
  if (before.baseUrl !== baseUrl) {
    const empty = emptyProfile();
    // Records without a stamp are a fact about the ledger: they outlive the service they came from.
    const kept = { ...empty, stamps: { ...empty.stamps, someMissing: profile.stamps.someMissing } };
    return { state: { filters: after, profile: kept }, change: { kind: 'baseUrl', before, after } };
  }
  if (before.actionKeys === actionKeys && before.organisationMembershipId === organisationMembershipId)
    return { state: { filters: before, profile }, change: null };
  const kind = isWider(before, after) ? 'widerFilters' : 'filters';
  return { state: { filters: after, profile }, change: { kind, before, after } };
}

function isWider(before: QueryFilters, after: QueryFilters): boolean {
  return (
    widens(before.actionKeys, after.actionKeys) ||
    widens(before.organisationMembershipId, after.organisationMembershipId)
  );
}

/** A filter is wider where it is gone or names more. How actionKeys are separated is not shown: any way counts. */
function widens(before: string | null, after: string | null): boolean {
  if (before === null) return false;
  return after === null || !namesOf(after).isSubsetOf(namesOf(before));
}

function namesOf(filter: string): Set<string> {
  return new Set(filter.split(/[\s,;|]+/).filter((name) => name !== ''));
}
