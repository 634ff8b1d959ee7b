// The runs of a world and their steps. A step is one call to the outside: it takes time, and before it or after it a
// run may be killed, may freeze until the world wakes it, or may give way to another run that is alive at the same
// time.
import type { PollResult } from '../../functions/poller/result.ts';
import type { CallDraws, Chance } from './chance.ts';
import type { Time } from './time.ts';
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

type Alive = { run: Run; halt: (how: Halt) => void };

export function createRuns(options: { draws: CallDraws; time: Time; weather: Weather }): Runs {
  const { draws, time, weather } = options;
  const all: Run[] = [];
  const alive = new Map<Run, Alive>();
  const frozen: { run: Run; woken: Promise<void>; wake: () => void }[] = [];
  let waiting: { run: Run; go: () => void }[] = [];
  let steps = 0;

  let isWaking = false;

  /**
   * Lets one of the steps that wait go on whenever nothing else moves: one for each macrotask, because all that happens
   * between two steps is microtasks. So it does not matter how many steps a run has under way, nor which of them it
   * waits for.
   */
  const passTurns = (): void => {
    if (isWaking || !waiting.some(({ run }) => alive.has(run))) return;
    isWaking = true;
    setImmediate(() => {
      isWaking = false;
      const able = waiting.filter(({ run }) => alive.has(run));
      if (able.length === 0) return;
      const chosen = drawTurn(able);
      waiting = waiting.filter((one) => one !== chosen);
      chosen.go();
      passTurns();
    });
  };
  /** Each of them draws for itself, so that no run's draws depend on how many others wait. */
  const drawTurn = <One extends { run: Run }>(able: readonly One[]): One => {
    const drawn = able.map((one) => ({ one, number: draws.next(one.run.number, 'turn').random() }));
    return drawn.reduce((best, each) => (each.number > best.number ? each : best)).one;
  };
  const turn = async (run: Run): Promise<void> => {
    if (alive.size < 2) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ run, go: resolve });
    passTurns();
    await promise;
  };
  const leave = (run: Run, how: Halt): void => {
    const left = alive.get(run);
    alive.delete(run);
    if (how !== 'stalled') Object.assign(run, { ending: how, endedAt: time.now() });
    left?.halt(how);
    passTurns();
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
  /** A dead run never goes on, and a frozen one not before it is woken, whatever else it had in flight. */
  const presence = async (run: Run): Promise<void> => {
    if (run.ending === 'killed') await new Promise<never>(() => {});
    await frozen.find((one) => one.run === run)?.woken;
  };
  /** A run dies once, and freezes once at a time, whichever of its steps it is that meets its fate. */
  const fate = async (
    run: Run,
    kind: string,
    { chance, moment }: { chance: Chance; moment: Moment },
  ): Promise<void> => {
    if (run.ending !== null) return;
    const { killAt } = weather;
    const isPlanned = killAt?.moment === moment && (killAt.step === run.steps || killAt.step === kind);
    if (isPlanned || chance.happens(weather.kill)) await die(run);
    if (chance.happens(weather.freeze) && !frozen.some((one) => one.run === run)) await freeze(run);
  };
  const enter = (run: Run): Promise<Halt> => {
    const { promise, resolve } = Promise.withResolvers<Halt>();
    alive.set(run, { run, halt: resolve });
    if (alive.size > 1) for (const one of alive.keys()) one.hadCompany = true;
    passTurns();
    return promise;
  };

  return {
    all,
    get steps() {
      return steps;
    },
    get stalled() {
      return frozen.length;
    },
    start(body, onEnd) {
      const run = freshRun(all.length + 1, time.now());
      all.push(run);
      const halted = enter(run);
      void endOf(body(run)).then((end) => {
        Object.assign(run, end);
        leave(run, 'ended');
        return onEnd(run);
      });
      return halted;
    },
    async wake() {
      let woken = frozen.shift();
      while (woken !== undefined && woken.run.ending !== null) woken = frozen.shift();
      // What froze may have been a step that its run did not wait for any more.
      if (!woken || woken.run.ending !== null) return 'ended';
      const halted = enter(woken.run);
      woken.wake();
      return await halted;
    },
    async step(run, kind, work) {
      const chance = draws.next(run.number, kind);
      await turn(run);
      await presence(run);
      steps += 1;
      run.steps += 1;
      time.pass(chance.between(weather.fastestMs, weather.slowestMs));
      await fate(run, kind, { chance, moment: 'before' });
      const attempt = tried(() => work(chance));
      await fate(run, kind, { chance, moment: 'after' });
      await presence(run);
      // A run with several steps under way may wait for the others now, without taking another one.
      passTurns();
      if ('error' in attempt) throw attempt.error;
      return attempt.value;
    },
    async sleep(run, ms) {
      await turn(run);
      await presence(run);
      time.pass(ms);
      passTurns();
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
