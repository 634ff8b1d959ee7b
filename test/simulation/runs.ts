// The runs of a world and their steps. A step is one call to the outside: it takes time, and before it or after it a
// run may be killed, may freeze until the world wakes it, or may give way to another run that is alive at the same
// time.
import type { PollResult } from '../../functions/poller/result.ts';
import type { CallDraws, Chance } from './chance.ts';
import type { Time } from './time.ts';
import { createTurns } from './turns.ts';
import type { Moment, Weather } from './weather.ts';

/** `stalled`: frozen in the middle of a step; it goes on when it is woken. */
export type Halt = 'ended' | 'killed' | 'stalled';

/** What a run did, for the invariants. */
export type Run = {
  number: number;
  startedAt: number;
  endedAt: number;
  steps: number;
  /** Requests for the action log, logins, and calls to the state table. */
  requests: number;
  logins: number;
  refusedLogins: number;
  tableCalls: number;
  /** Calls that failed, or whose answer was lost, and requests that the service did not answer as it should. */
  troubles: number;
  /** Events that the bus took although it answered otherwise. */
  eventsTakenUnsaid: number;
  /** The ledger did not hear of what was accepted: a call to write it failed, or lost its answer. */
  ledgerFailures: number;
  /** The state was not written, or not known to be: a call failed, or lost its answer. */
  stateFailures: number;
  ending: Halt | null;
  wasStalled: boolean;
  /** Another run was alive at the same time. */
  hadCompany: boolean;
  result: PollResult | null;
  error: unknown;
};

export type Runs = {
  /** Runs `body` until it ends, is killed or stalls. `onEnd` is called once it has ended, never if it was killed. */
  start(body: (run: Run) => Promise<PollResult>, onEnd: (run: Run) => void): Promise<Halt>;
  /** Wakes the run that stalled longest ago. */
  wake(): Promise<Halt>;
  readonly stalled: number;
  /** One call to the outside for a run. `work` draws from the chance of this call, after the time that it takes. */
  step<T>(run: Run, kind: string, work: (chance: Chance) => T): Promise<T>;
  sleep(run: Run, ms: number): Promise<void>;
  /** Every run begun. */
  readonly all: readonly Run[];
  readonly steps: number;
};

export function createRuns(options: { draws: CallDraws; time: Time; weather: Weather }): Runs {
  const { draws, time, weather } = options;
  const all: Run[] = [];
  let steps = 0;
  const lives = createLives(options);
  const { turns } = lives;

  return {
    all,
    get steps() {
      return steps;
    },
    get stalled() {
      return lives.frozen.length;
    },
    start(body, onEnd) {
      const run = freshRun(all.length + 1, time.now());
      all.push(run);
      const halted = lives.enter(run);
      void endOf(body(run)).then((end) => {
        Object.assign(run, end);
        lives.leave(run, 'ended');
        return onEnd(run);
      });
      return halted;
    },
    async wake() {
      let woken = lives.frozen.shift();
      while (woken !== undefined && woken.run.ending !== null) woken = lives.frozen.shift();
      // What froze may have been a step that its run did not wait for any more.
      if (!woken || woken.run.ending !== null) return 'ended';
      const halted = lives.enter(woken.run);
      woken.wake();
      return await halted;
    },
    async step(run, kind, work) {
      const chance = draws.next(run.number, kind);
      await turns.wait(run);
      await lives.presence(run);
      steps += 1;
      run.steps += 1;
      time.pass(chance.between(weather.fastestMs, weather.slowestMs));
      await lives.meetEnd(run, kind, { chance, moment: 'before' });
      const attempt = tried(() => work(chance));
      await lives.meetEnd(run, kind, { chance, moment: 'after' });
      await lives.presence(run);
      // A run with several steps under way may wait for the others now, without taking another one.
      turns.pass();
      if ('error' in attempt) throw attempt.error;
      return attempt.value;
    },
    async sleep(run, ms) {
      await turns.wait(run);
      await lives.presence(run);
      time.pass(ms);
      turns.pass();
    },
  };
}

/** Which runs are alive, frozen or dead. */
function createLives({ draws, time, weather }: { draws: CallDraws; time: Time; weather: Weather }) {
  const alive = new Map<Run, (how: Halt) => void>();
  const frozen: { run: Run; woken: Promise<void>; wake: () => void }[] = [];
  const turns = createTurns(draws, alive);
  const leave = (run: Run, how: Halt): void => {
    const halt = alive.get(run);
    alive.delete(run);
    if (how !== 'stalled') Object.assign(run, { ending: how, endedAt: time.now() });
    halt?.(how);
    turns.pass();
  };
  const die = async (run: Run): Promise<never> => {
    leave(run, 'killed');
    return await new Promise<never>(() => {});
  };
  const freeze = async (run: Run): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    frozen.push({ run, woken: promise, wake: resolve });
    run.wasStalled = true;
    leave(run, 'stalled');
    await promise;
  };
  return {
    frozen,
    turns,
    leave,
    /** A dead run never goes on, and a frozen one not before it is woken, whatever else it had in flight. */
    async presence(run: Run): Promise<void> {
      if (run.ending === 'killed') await new Promise<never>(() => {});
      await frozen.find((one) => one.run === run)?.woken;
    },
    /** A run dies once, and freezes once at a time, whichever of its steps it is at. */
    async meetEnd(run: Run, kind: string, { chance, moment }: { chance: Chance; moment: Moment }): Promise<void> {
      if (run.ending !== null) return;
      const { killAt } = weather;
      const isPlanned = killAt?.moment === moment && (killAt.step === run.steps || killAt.step === kind);
      if (isPlanned || chance.happens(weather.kill)) await die(run);
      if (chance.happens(weather.freeze) && !frozen.some((one) => one.run === run)) await freeze(run);
    },
    enter(run: Run): Promise<Halt> {
      const { promise, resolve } = Promise.withResolvers<Halt>();
      alive.set(run, resolve);
      if (alive.size > 1) for (const one of alive.keys()) one.hadCompany = true;
      turns.pass();
      return promise;
    },
  };
}

/** What the work came to, thrown later: a run that dies after a call never learns that it failed. */
function tried<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

async function endOf(body: Promise<PollResult>): Promise<Pick<Run, 'result' | 'error'>> {
  try {
    return { result: await body, error: null };
  } catch (error) {
    return { result: null, error };
  }
}

function freshRun(number: number, startedAt: number): Run {
  return {
    number,
    startedAt,
    endedAt: startedAt,
    steps: 0,
    requests: 0,
    logins: 0,
    tableCalls: 0,
    troubles: 0,
    eventsTakenUnsaid: 0,
    ledgerFailures: 0,
    stateFailures: 0,
    refusedLogins: 0,
    ending: null,
    wasStalled: false,
    hadCompany: false,
    result: null,
    error: null,
  };
}
