// Simulates the people of the organisation, session by session: its history, and live activity.
import { act } from './acting.ts';
import { drawChange } from './actions.ts';
import type { Change } from '../action-log/entries.ts';
import { drawInstant } from './office-hours.ts';
import type { Contact } from '../organisation/organisation.ts';
import { createRandom, type Random } from '../random.ts';
import { drawSession, entriesOf, type Session } from './sessions.ts';
import type { State } from '../journal/state.ts';

export { actOnce, perform } from './acting.ts';

const DAY_MS = 86_400_000;
/** The time that a person needs for one action. */
const PACE_MS = 45_000;
/** Between two members of one bulk action. */
const BULK_MS = 350;

/** Logs exactly `entries` actions of the last `days` days, mostly in busy hours. */
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

/** The changes of a session that starts at `at`. Those of a bulk action follow each other closely. */
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
      at: instant + index * BULK_MS,
    }));
  });
}

type Activity = { start(options: { perMinute: number }): void; stop(): void };

/**
 * Live activity: sessions start at random intervals, with `perMinute` entries on average; at a high rate people hurry.
 * Its timers do not keep the process alive.
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
    // Timers are always a little late, so intervals count from when a session was due, unless the machine slept.
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

/** A person takes at most this many average intervals for one action. */
const HURRY = 2;

const MAX_ARREARS_MS = 1_000;

/** A pause before a random event, `meanMs` on average. */
function drawPause(random: Random, meanMs: number): number {
  return -Math.log(1 - random()) * meanMs;
}
