// Counts what a consumer uses per event, in a warm process.
import { startCountingWorld, lineBytes } from './counting-world.ts';
import { NoFigures } from '../../gate.ts';
import type { CountedConsumer } from '../monthly-units.ts';

/** Enough for a mean. The first one starts the process and is not counted. */
const INVOCATIONS = 11;

/** Counts the consumer of member changes. Rejects with NoFigures if an invocation fails or is missing. */
export async function countConsumer(assemblyFolder: string): Promise<Omit<CountedConsumer, 'share'>> {
  const history = { entries: 0, days: 1, at: Date.now() };
  await using world = await startCountingWorld({ assemblyFolder, settings: {}, history });
  await world.tick();
  for (let done = 0; done < INVOCATIONS; done += 1) {
    const at = Date.now();
    world.setTime(at);
    world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada', at });
    await world.tick();
    await world.cloud.stopTicks();
  }
  const reports = world.reports.filter(({ trigger }) => trigger === 'event');
  const failed = reports.filter(({ error }) => error !== undefined);
  if (reports.length !== INVOCATIONS || failed.length > 0)
    throw new NoFigures(
      `The consumer was invoked ${reports.length} times instead of ${INVOCATIONS}; ${failed.length} failed.`,
    );
  const [, ...warm] = reports;
  const lines = world.lines.filter(({ functionName }) => functionName === reports[0]?.functionName);
  return {
    tableReads: 0,
    // When it begins and when it ends.
    tableWrites: 2,
    durationMs: warm.reduce((sum, { durationMs }) => sum + durationMs, 0) / warm.length,
    logBytes: lines.reduce((sum, { text }) => sum + lineBytes(text), 0) / reports.length,
  };
}
