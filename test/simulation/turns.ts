// Whose turn it is, where several runs are alive at the same time.
import type { CallDraws } from './chance.ts';

type Waiting<Run> = { run: Run; go: () => void };

/**
 * Lets one of the steps that wait go on whenever nothing else moves: one for each macrotask, because all that happens
 * between two steps is microtasks. So it does not matter how many steps a run has under way, nor which of them it
 * waits for.
 */
export function createTurns<Run extends { number: number }>(draws: CallDraws, alive: ReadonlyMap<Run, unknown>) {
  let waiting: Waiting<Run>[] = [];
  let isWaking = false;
  const pass = (): void => {
    if (isWaking || !waiting.some(({ run }) => alive.has(run))) return;
    isWaking = true;
    setImmediate(() => {
      isWaking = false;
      const able = waiting.filter(({ run }) => alive.has(run));
      if (able.length === 0) return;
      const chosen = drawTurn(draws, able);
      waiting = waiting.filter((one) => one !== chosen);
      chosen.go();
      pass();
    });
  };
  return {
    pass,
    /** Waits for the next turn of the run; alone, it is always its turn. */
    async wait(run: Run): Promise<void> {
      if (alive.size < 2) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ run, go: resolve });
      pass();
      await promise;
    },
  };
}

/** Each of them draws for itself, so that no run's draws depend on how many others wait. */
function drawTurn<Run extends { number: number }>(draws: CallDraws, able: readonly Waiting<Run>[]): Waiting<Run> {
  const drawn = able.map((one) => ({ one, number: draws.next(one.run.number, 'turn').random() }));
  return drawn.reduce((best, each) => (each.number > best.number ? each : best)).one;
}
