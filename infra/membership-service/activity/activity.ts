// What the people of the organisation do all day: the past that it begins with, and live activity, session by session.
import { act } from './acting.ts';
import { drawChange } from './deeds.ts';
import type { Change } from '../action-log/entries.ts';
import { drawInstant } from './office-hours.ts';
import type { Contact } from '../organisation/organisation.ts';
import { createRandom, type Random } from '../random.ts';
import { drawSession, entriesOf, type Session } from './sessions.ts';
import type { State } from '../journal/state.ts';

export { actOnce } from './acting.ts';

const DAY_MS = 86_400_000;
/** How long somebody takes over one thing. */
const PACE_MS = 45_000;
/** Between two members who are tagged at one stroke. */
const STROKE_MS = 350;

/** Logs exactly `entries` things that happened in the last `days` days, in the hours in which people have time. */
export function writeHistory(state: State, { entries, days }: { entries: number; days: number }): void {
  const random = createRandom(`${state.seed}/history`);
  const to = Math.floor(state.now());
  const span = { from: Math.ceil(to - days * DAY_MS), to };
  const people = [...state.organisation.contacts.values()];
  const changes: Dated[] = [];
  while (changes.length < entries) {
    const at = drawInstant(random, span, state.zone);
    const session = drawSession(random, { people, at, zone: state.zone });
    changes.push(...changesOf(random, session, { at, people, state }).filter((change) => change.at < to));
  }
  state.commitAll(changes.slice(0, entries).sort((a, b) => a.at - b.at));
}

type Dated = Change & { at: number };

/** What a session leaves in the log that begins at `at`; several members at one stroke follow each other closely. */
function changesOf(
  random: Random,
  session: Session,
  { at, people, state }: { at: number; people: readonly Contact[]; state: State },
): Dated[] {
  const { organisation } = state;
  let instant = at;
  return session.flatMap(({ actionKey, members, pause }) => {
    instant += Math.round(pause * PACE_MS);
    const concerned = members.length > 0 ? members : [null];
    return concerned.map((member, index) => ({
      ...drawChange(random, actionKey, { people: member ? [member] : people, organisation }),
      at: instant + index * STROKE_MS,
    }));
  });
}

export type Activity = { start(options: { perMinute: number }): void; stop(): void };

/**
 * Live activity: sessions begin at random distances, so far apart that `perMinute` entries are written on average; at a high rate people hurry. Its timers keep
 * no process alive.
 */
export function createActivity(state: State): Activity {
  const random = createRandom(`${state.seed}/activity/${state.log.written.length}`);
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, act: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms).unref();
    timers.add(timer);
  };
  const stop = (): void => {
    timers.forEach(clearTimeout);
    timers.clear();
  };
  const play = (session: Session, paceMs: number): void => {
    let delayMs = 0;
    for (const step of session) {
      delayMs += step.pause * paceMs;
      after(delayMs, () => act(state, random, step));
    }
  };
  const start = ({ perMinute }: { perMinute: number }): void => {
    stop();
    if (!(perMinute > 0)) return;
    const everyMs = 60_000 / perMinute;
    const paceMs = Math.min(PACE_MS, HURRY * everyMs);
    // Timers are late by a little each time: what counts is when a session was due, but for a machine that has slept.
    let due = performance.now();
    const beginAfter = (ms: number): void => {
      due = Math.max(due + ms, performance.now() - MAX_ARREARS_MS);
      after(Math.max(0, due - performance.now()), begin);
    };
    const begin = (): void => {
      const people = [...state.organisation.contacts.values()];
      const session = drawSession(random, { people, at: state.now(), zone: state.zone });
      play(session, paceMs);
      beginAfter(drawPause(random, everyMs * entriesOf(session)));
    };
    beginAfter(drawPause(random, everyMs));
  };
  return { start, stop };
}

/** Nobody takes longer over one thing than it takes this many others to happen. */
const HURRY = 2;

const MAX_ARREARS_MS = 1_000;

/** A pause until something that happens at random, `meanMs` apart on average. */
function drawPause(random: Random, meanMs: number): number {
  return -Math.log(1 - random()) * meanMs;
}
