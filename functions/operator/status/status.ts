// What `status` reports, and whether it is fine: decisions without I/O.
import type { Fact } from '../../source/profile-facts.ts';
import { factsOf } from '../../source/profile-facts.ts';
import type { DeferredSweeps, SourceState, Sweep, SweepLevel } from '../../source/state.ts';
import type { BridgeSource } from '../bridge/bridge.ts';
import type { AlarmReport } from '../bridge/ports.ts';
import { agoText, durationText } from '../terminal/time-texts.ts';
import { counted } from '../terminal/text-layout.ts';

export type Verdict = 'fine' | 'not fine' | 'not known';

export type SweepReport = {
  level: SweepLevel;
  isDeferred: boolean;
  /** Windows that are still to be read, and the span that they cover (ISO 8601; null where it is open). */
  windowsLeft: number;
  from: string | null;
  to: string | null;
  /** Runs that have worked on it. */
  runs: number;
  startedAt: string;
};

export type SourceStatus = {
  sourceId: string;
  verdict: Verdict;
  /** Why it is not fine, each with what to do. */
  problems: string[];
  /** What could not be read: actions of AWS. */
  unknown: string[];
  /** Age of the last moment up to which everything is known to be read, ms; null before the first run. */
  lagMs: number | null;
  /** That moment, ISO 8601: the start of the last reading that was completed. */
  lastSuccessAt: string | null;
  /** When the next request may be expected, in words. */
  next: string;
  sweeps: SweepReport[];
  /** Failed runs in a row. */
  failures: number;
  /** No request before this (ISO 8601), and the code of the failure. */
  waitsUntil: { at: string; code: string } | null;
  /** The version of the secret that the service refused, and when. */
  refusedCredentials: { secretVersion: string; at: string } | null;
  /** Entries in quarantine; null where that could not be read. */
  quarantined: number | null;
  facts: Fact[];
};

export type StoredSource = {
  /** null before the first run. */
  stored: { state: SourceState; leaseUntil: number | null } | null;
  deferred: DeferredSweeps | null;
};

const MINUTE_MS = 60_000;
/** The same as that of the alarm "no successful poll". */
const MAX_PERIODS = 3;
const MIN_PERIOD_MINUTES = 5;

/** `read` and `quarantined` are null where they could not be read; `unknown` then names what was not allowed. */
export function toSourceStatus(
  source: BridgeSource,
  read: StoredSource | null,
  quarantined: number | null,
  { unknown, now }: { unknown: readonly string[]; now: number },
): SourceStatus {
  const state = read?.stored?.state ?? null;
  const lagMs = state === null || state.firstRunAt === null ? null : Math.max(0, now - state.watermarks.recent);
  const problems = read === null ? [] : problemsOf({ source, state, lagMs, quarantined: quarantined ?? 0, now });
  return {
    sourceId: source.sourceId,
    verdict: verdictOf(problems, unknown),
    problems,
    unknown: [...unknown],
    lagMs,
    lastSuccessAt: lagMs === null ? null : isoOf(now - lagMs),
    next: nextText(source, state, now),
    sweeps: sweepsOf(state, read?.deferred ?? null),
    failures: state?.failures ?? 0,
    waitsUntil: waitOf(state, now),
    refusedCredentials: breakerOf(state),
    quarantined,
    facts: state === null ? [] : factsOf(state.profile),
  };
}

/** What is wrong for sure counts more than what is not known. */
export function verdictOf(problems: readonly unknown[], unknown: readonly unknown[]): Verdict {
  if (problems.length > 0) return 'not fine';
  return unknown.length > 0 ? 'not known' : 'fine';
}

type Seen = {
  source: BridgeSource;
  state: SourceState | null;
  lagMs: number | null;
  quarantined: number;
  now: number;
};

function problemsOf({ source, state, lagMs, quarantined, now }: Seen): string[] {
  const { sourceId, isScheduled, everyMinutes } = source;
  const limitMs = MAX_PERIODS * Math.max(MIN_PERIOD_MINUTES, everyMinutes) * MINUTE_MS;
  const wait = waitOf(state, now);
  return [
    isScheduled ? null : 'Its schedule is switched off: nobody polls it. Deploy the stack, which switches it on.',
    lagMs === null ? notBegun(state, sourceId) : null,
    state?.breaker === null || state === null
      ? null
      : `The service refused username or password at ${isoOf(state.breaker.at)}. Check the user, then fill the secret of ${sourceId} again.`,
    wait === null ? null : `The service asked it to wait, or refused it (${wait.code}): no request before ${wait.at}.`,
    (state?.failures ?? 0) < 2
      ? null
      : `${counted(state?.failures ?? 0, 'run')} in a row have failed. See: membership-bridge logs ${sourceId}`,
    lagMs !== null && lagMs > limitMs
      ? `It has read everything only up to ${agoText(lagMs)}; more than ${durationText(limitMs)} is too long.`
      : null,
    quarantined === 0
      ? null
      : `${counted(quarantined, 'entry', 'entries')} in quarantine. See: membership-bridge quarantine list ${sourceId}`,
  ].filter((problem) => problem !== null);
}

function notBegun(state: SourceState | null, sourceId: string): string {
  return state === null
    ? 'No run has stored anything yet. If it was deployed minutes ago, wait; otherwise read its log.'
    : `It has never logged in. Fill the secret of ${sourceId} with username and password.`;
}

function waitOf(state: SourceState | null, now: number): SourceStatus['waitsUntil'] {
  const { notBefore = null } = state ?? {};
  return notBefore === null || notBefore.at <= now ? null : { at: isoOf(notBefore.at), code: notBefore.code };
}

function breakerOf(state: SourceState | null): SourceStatus['refusedCredentials'] {
  const { breaker = null } = state ?? {};
  return breaker === null ? null : { secretVersion: breaker.secretVersion, at: isoOf(breaker.at) };
}

function nextText(
  { isScheduled, everyMinutes, settings }: BridgeSource,
  state: SourceState | null,
  now: number,
): string {
  const wait = waitOf(state, now);
  if (!isScheduled) return 'none: its schedule is switched off';
  if (wait !== null) return `not before ${wait.at}`;
  const ticks = (state?.ticksUntil ?? 0) > now ? `, looks for new entries every ${String(settings['every'])}` : '';
  return `a run within ${durationText(everyMinutes * MINUTE_MS)}${ticks}`;
}

function sweepsOf(state: SourceState | null, deferred: DeferredSweeps | null): SweepReport[] {
  const open = state?.cursor ?? null;
  return [
    ...(open === null ? [] : [toReport(open, false)]),
    ...(deferred?.sweeps ?? []).map((sweep) => toReport(sweep, true)),
  ];
}

function toReport({ level, windows, runs, startedAt }: Sweep, isDeferred: boolean): SweepReport {
  const bounds = (name: 'from' | 'to') => windows.map((window) => window[name]);
  const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
  const [from, to] = [bounds('from'), bounds('to')];
  return {
    level,
    isDeferred,
    windowsLeft: windows.length,
    from: windows.length === 0 || from.includes(null) ? null : isoOf(Math.min(...known(from))),
    to: windows.length === 0 || to.includes(null) ? null : isoOf(Math.max(...known(to))),
    runs,
    startedAt: isoOf(startedAt),
  };
}

export type ConsumerStatus = {
  name: string;
  /** Messages in its dead-letter queue; null where that could not be read. */
  deadLetters: number | null;
  /** `paused`: the reader of its queue is switched off. */
  state: 'running' | 'paused';
};

export type BridgeStatus = {
  stack: string;
  region: string;
  accountId: string;
  /** ISO 8601. */
  at: string;
  verdict: Verdict;
  sources: SourceStatus[];
  consumers: ConsumerStatus[];
  /** Alarms that fire. */
  alarms: Pick<AlarmReport, 'name' | 'reason'>[];
  /** Actions of AWS that were not allowed: what they would show is not known. */
  unknown: string[];
};

/** Of all parts together. */
export function overallVerdict({
  sources,
  consumers,
  alarms,
  unknown,
}: Pick<BridgeStatus, 'sources' | 'consumers' | 'alarms' | 'unknown'>): Verdict {
  const broken = consumers.filter(({ deadLetters, state }) => (deadLetters ?? 0) > 0 || state === 'paused');
  const problems = [...sources.flatMap((source) => source.problems), ...broken, ...alarms];
  return verdictOf(problems, [...unknown, ...sources.flatMap((source) => source.unknown)]);
}

export const EXIT_CODES: Readonly<Record<Verdict, number>> = { fine: 0, 'not fine': 1, 'not known': 2 };

function isoOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
