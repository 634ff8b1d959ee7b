// What is wrong with a source, each in a sentence with what to do.
import type { Pause, StoredState } from '../../source/ports.ts';
import type { SourceState } from '../../source/state.ts';
import type { BridgeSource } from '../bridge/bridge.ts';
import { counted, secondOf } from '../terminal/text-layout.ts';
import { agoText, durationText } from '../terminal/time-texts.ts';

/** What was read of a source; `now` in ms since 1970. */
export type Seen = {
  source: BridgeSource;
  /** null before the first run. */
  stored: StoredState | null;
  pause: Pause | null;
  /** null before the first login. */
  lagMs: number | null;
  quarantined: number;
  now: number;
};

export const MINUTE_MS = 60_000;
/** The same as those of the alarm "no successful poll". */
const MAX_PERIODS = 3;
const MIN_PERIOD_MINUTES = 5;

export function problemsOf(seen: Seen): string[] {
  const { source, quarantined } = seen;
  return [
    pauseProblem(seen),
    source.isScheduled
      ? null
      : 'Its schedule is switched off: nobody polls it. Deploy the stack, which switches it on.',
    startProblem(seen),
    loginProblem(seen),
    waitProblem(seen),
    failureProblem(seen),
    lagProblem(seen),
    quarantined === 0
      ? null
      : `${counted(quarantined, 'entry', 'entries')} in quarantine. See: membership-bridge quarantine list ${source.sourceId}`,
  ].filter((problem) => problem !== null);
}

function pauseProblem({ source, pause }: Seen): string | null {
  const paused = pausedBy(pause);
  if (paused === null) return null;
  return `Paused by ${paused.by} since ${paused.at}. Resume it with: membership-bridge resume ${source.sourceId}`;
}

function startProblem({ source: { sourceId }, stored, lagMs }: Seen): string | null {
  if (lagMs !== null) return null;
  return stored === null
    ? `No run has stored anything yet. If it was deployed minutes ago, wait. Otherwise see: membership-bridge logs ${sourceId}`
    : `It has never logged in. Write its username and password: membership-bridge credentials set ${sourceId}`;
}

function loginProblem({ source: { sourceId }, stored, now }: Seen): string | null {
  const { breaker = null, login } = stored?.state ?? {};
  if (breaker !== null)
    return `The service refused username or password at ${secondOf(breaker.at)}. Check the user, then: membership-bridge credentials set ${sourceId}`;
  // While a run holds the lease, that login may just be going on.
  if (login?.isProven !== false || (stored?.leaseUntil ?? 0) > now) return null;
  return `A run ended during the first login with its credentials, so no login follows. Check them, then allow another: membership-bridge credentials reset ${sourceId}`;
}

function waitProblem({ stored, now }: Seen): string | null {
  const wait = waitOf(stored?.state ?? null, now);
  return wait === null
    ? null
    : `The service asked it to wait, or refused it (${wait.code}): no request before ${wait.at}.`;
}

function failureProblem({ source, stored }: Seen): string | null {
  const { failures = 0 } = stored?.state ?? {};
  if (failures < 2) return null;
  return `${counted(failures, 'run')} in a row have failed. See: membership-bridge logs ${source.sourceId}`;
}

function lagProblem({ source: { everyMinutes }, lagMs }: Seen): string | null {
  const limitMs = MAX_PERIODS * Math.max(MIN_PERIOD_MINUTES, everyMinutes) * MINUTE_MS;
  if (lagMs === null || lagMs <= limitMs) return null;
  return `It has read everything only up to ${agoText(lagMs)}; more than ${durationText(limitMs)} is too long.`;
}

/** Times in ISO 8601. */
export function waitOf(state: SourceState | null, now: number): { at: string; code: string } | null {
  const { notBefore = null } = state ?? {};
  return notBefore === null || notBefore.at <= now ? null : { at: secondOf(notBefore.at), code: notBefore.code };
}

export function pausedBy(pause: Pause | null): { at: string; by: string } | null {
  return pause === null ? null : { at: secondOf(pause.at), by: pause.by };
}
