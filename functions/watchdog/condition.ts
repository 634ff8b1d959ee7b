// How a source is, by its schedule and its state.
import { triesOf } from '../source/first-login.ts';
import type { StoredState } from '../source/ports.ts';
import { lastReadAt, overdueLevels, silentAfter } from '../source/reading.ts';
import { minutesOf, type SourceSchedule } from '../source/schedules.ts';
import { readSourceSettings, type SourceSettings } from '../source/settings.ts';
import { fromStoredSettings } from '../source/stored-settings.ts';

/** What was read of a source. */
export type Seen = {
  sourceId: string;
  /** null where there is none. `createdAt` in ms since 1970. */
  schedule: (SourceSchedule & { createdAt: number }) | null;
  /** null before the first run. */
  stored: StoredState | null;
  /** When a source without schedule and state was met first. */
  waitingSince: number;
  /** The next deployment makes its schedule. */
  isAdopting?: boolean;
};

/** Where the functions and their rights are now: what each schedule has to name. */
export type Present = { targetArn: string; roleArn: string };

export type Condition = {
  sourceId: string;
  /** When something was last read; ms since 1970. */
  since: number;
  /** What keeps it from being read: the code of a failure or a word of the notice; null where nothing does. */
  reason: string | null;
  /** Of its service; null for a source without usable settings. */
  host: string | null;
  isSilent: boolean;
  isOverdue: boolean;
  isRefused: boolean;
  /** Its schedule names another function or role. */
  isOutdated: boolean;
};

/** `minuteMs` is the length of a minute. */
export function conditionOf(
  seen: Seen,
  { now, minuteMs, present }: { now: number; minuteMs: number; present: Present },
): Condition {
  const { sourceId, schedule, stored } = seen;
  const state = stored?.state;
  const since = state === undefined ? (schedule?.createdAt ?? seen.waitingSince) : lastReadAt(state);
  const settings = settingsOf(seen);
  const silentMs = silentAfter(schedule === null ? 0 : minutesOf(schedule.expression)) * minuteMs;
  const isSilent = now - since >= silentMs;
  const isLate = now - since >= silentMs / 2;
  const refusal = stored === null ? null : refusalOf(stored, { since, now, isLate });
  return {
    sourceId,
    since,
    reason: reasonOf(seen, refusal) ?? (isLate ? 'noRun' : null),
    host: settings === null ? null : new URL(settings.baseUrl).host,
    isSilent,
    // One that is not read at all has an alarm of its own.
    isOverdue: !isSilent && state !== undefined && settings !== null && overdueLevels(state, settings, now).length > 0,
    isRefused: refusal !== null,
    isOutdated: schedule !== null && (schedule.targetArn !== present.targetArn || schedule.roleArn !== present.roleArn),
  };
}

/** Those of the schedule, else those of the last run; null where neither can be read. */
function settingsOf({ schedule, stored }: Seen): Pick<SourceSettings, 'baseUrl' | 'everyMs'> | null {
  try {
    return readSourceSettings(JSON.parse(schedule?.input ?? ''));
  } catch {
    const left = stored?.state.peek?.settings;
    return left === undefined ? null : fromStoredSettings(left);
  }
}

/**
 * The code of a login that the service refuses, or of which nobody knows whether it does, and nothing was read since.
 * That of another source with the same secret may be older: then it counts once nothing is read for a while.
 */
function refusalOf(
  { state, leaseUntil }: StoredState,
  { since, now, isLate }: { since: number; now: number; isLate: boolean },
): string | null {
  const tries = triesOf(state);
  if (tries === null || (tries.last < since && !isLate)) return null;
  if (state.breaker !== null) return 'CredentialsRefused';
  // While a run holds the lease, that login may just be going on.
  return (leaseUntil ?? 0) <= now ? 'LoginUnresolved' : null;
}

function reasonOf({ schedule, stored, isAdopting }: Seen, refusal: string | null): string | null {
  if (stored?.pause !== undefined) return 'paused';
  if (schedule === null) return isAdopting ? 'notDeployed' : 'noSchedule';
  if (!schedule.isEnabled) return 'scheduleOff';
  if (stored === null) return null;
  const { failures, failing, firstRunAt } = stored.state;
  if (failures > 0 && failing !== undefined) return failing.code;
  return refusal ?? (firstRunAt === null ? 'neverLoggedIn' : null);
}
