// What is wrong with a source, each in a sentence with what to do.
import type { Pause, StoredState } from '../../source/ports.ts';
import { nextTryText, triesOf } from '../../source/first-login.ts';
import type { SourceState } from '../../source/state.ts';
import type { BridgeSource } from '../bridge/bridge.ts';
import { counted, secondOf } from '../terminal/text-layout.ts';
import { agoText, durationText } from '../terminal/time-texts.ts';

/** What was read of a source; `now` in ms since 1970. */
type Seen = {
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
const MIN_FAILURES = 2;

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
  // Only a failure that is known says whether the credentials are the reason.
  if (failingOf(stored?.state ?? null) !== null) return 'It has never logged in.';
  return stored === null
    ? `No run has stored anything yet. If it was deployed minutes ago, wait. Otherwise see: membership-bridge logs ${sourceId}`
    : `It has never logged in. Write its username and password: membership-bridge credentials set ${sourceId}`;
}

function loginProblem({ source: { sourceId }, stored, now }: Seen): string | null {
  const state = stored?.state;
  const tries = state === undefined ? null : triesOf(state);
  if (state === undefined || tries === null) return null;
  const follows = nextTryText(tries);
  if (state.breaker !== null)
    return `The service refused username or password at ${secondOf(state.breaker.at)} (CredentialsRefused). ${follows} Check the user, then: membership-bridge credentials set ${sourceId}`;
  // While a run holds the lease, that login may just be going on.
  if ((stored?.leaseUntil ?? 0) > now) return null;
  return `A run ended during a login with its credentials (LoginUnresolved). ${follows} Check them; to allow one at once: membership-bridge credentials reset ${sourceId}`;
}

function waitProblem({ stored, now }: Seen): string | null {
  const wait = waitOf(stored?.state ?? null, now);
  if (wait === null) return null;
  return `The service asked it to wait, or refused it (${wait.code}): no request before ${wait.at}.`;
}

function failureProblem({ source: { sourceId }, stored, lagMs, now }: Seen): string | null {
  const { failures = 0, breaker = null } = stored?.state ?? {};
  const failing = failingOf(stored?.state ?? null);
  // One failure is no problem where the source has been read before, and need not wait.
  const isTransient = lagMs !== null && waitOf(stored?.state ?? null, now) === null;
  const isSaid = breaker !== null && failing?.code === 'CredentialsRefused';
  if (isSaid || failures < (isTransient ? MIN_FAILURES : 1)) return null;
  const see = `See: membership-bridge logs ${sourceId}`;
  if (failing === null) return `${counted(failures, 'run')} in a row ${failures === 1 ? 'has' : 'have'} failed. ${see}`;
  const { code, message, since } = failing;
  const how = `${code}: ${message ?? 'an error without a code, which the log has.'}`;
  if (failures === 1) return `Its last run failed at ${since} with ${how} ${see}`;
  return `${counted(failures, 'run')} in a row have failed since ${since}, the last one with ${how} ${see}`;
}

function lagProblem({ source: { sourceId, everyMinutes }, stored, lagMs }: Seen): string | null {
  const limitMs = MAX_PERIODS * Math.max(MIN_PERIOD_MINUTES, everyMinutes) * MINUTE_MS;
  if (lagMs === null || lagMs <= limitMs) return null;
  const isTooLong = `It has read everything only up to ${agoText(lagMs)}; more than ${durationText(limitMs)} is too long.`;
  // A run that is killed, or fails before it may write the state, is in the log alone.
  const isNamed = (stored?.state.failures ?? 0) >= MIN_FAILURES;
  return isNamed ? isTooLong : `${isTooLong} See: membership-bridge logs ${sourceId}`;
}

/** How the last run failed, and since when runs fail in a row (ISO 8601); null where none does, or it is not known. */
export function failingOf(state: SourceState | null): { code: string; message: string | null; since: string } | null {
  const { failures = 0, failing } = state ?? {};
  return failures === 0 || failing === undefined ? null : { ...failing, since: secondOf(failing.since) };
}

/** Times in ISO 8601. */
export function waitOf(state: SourceState | null, now: number): { at: string; code: string } | null {
  const { notBefore = null } = state ?? {};
  return notBefore === null || notBefore.at <= now ? null : { at: secondOf(notBefore.at), code: notBefore.code };
}

export function pausedBy(pause: Pause | null): { at: string; by: string } | null {
  return pause === null ? null : { at: secondOf(pause.at), by: pause.by };
}
