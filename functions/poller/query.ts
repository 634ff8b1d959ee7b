// All that shapes the service's answers beside the window: a stored walk belongs to one such query.
import type { Log } from '../shared/log.ts';
import { sha256Hex } from '../shared/json.ts';
import type { SourceSettings } from '../source/settings.ts';
import { freshFacts, type LearnedFacts } from '../source/state.ts';

/** The zone belongs to it, because the dates of a walk in progress are written in it; and so do the fields by which its witnesses are told. */
export function queryHashOf(settings: SourceSettings): string {
  const { baseUrl, actionKeys, organisationMembershipId, pageSize, timeZone } = settings;
  const { id, occurredAt, continuation } = settings.fields;
  const query = { baseUrl, actionKeys, organisationMembershipId, pageSize, timeZone, id, occurredAt, continuation };
  return sha256Hex(JSON.stringify(query)).slice(0, 16);
}

/** Remembers the filters; a change is logged, and where they let more through than before, what that means for the past (S08). */
export function watchFilters(learned: LearnedFacts, settings: SourceSettings, log: Log): LearnedFacts {
  const { baseUrl, actionKeys, organisationMembershipId } = settings;
  const filters = { baseUrl, actionKeys, organisationMembershipId };
  const before = learned.filters;
  if (before === null) return { ...learned, filters };
  if (before.baseUrl !== baseUrl) {
    log.warn('The address of the service has changed: what was learned of the old one is forgotten.', {
      before,
      after: filters,
    });
    return { ...freshFacts(), unstamped: learned.unstamped, filters };
  }
  if (before.actionKeys === actionKeys && before.organisationMembershipId === organisationMembershipId) return learned;
  log.warn('The filters of this source have changed: walks begin again under the new ones, the watermark stays.', {
    before,
    after: filters,
  });
  if (isWider(before, filters))
    log.warn(
      'The new filters let more through: entries they newly match are read as far back as the reconcile sweep looks, not before.',
      {},
    );
  return { ...learned, filters };
}

function isWider(before: NonNullable<LearnedFacts['filters']>, after: NonNullable<LearnedFacts['filters']>): boolean {
  return (
    widens(before.actionKeys, after.actionKeys) ||
    widens(before.organisationMembershipId, after.organisationMembershipId)
  );
}

/** A filter lets more through where it is gone, or names what it did not name. How actionKeys are set apart is not shown: any separator counts. */
function widens(before: string | null, after: string | null): boolean {
  if (before === null) return false;
  return after === null || !namesOf(after).isSubsetOf(namesOf(before));
}

function namesOf(filter: string): Set<string> {
  return new Set(filter.split(/[\s,;|]+/).filter((name) => name !== ''));
}
