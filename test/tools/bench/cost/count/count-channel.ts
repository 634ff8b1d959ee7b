// Counts what the notifier uses for one event and one channel, in a warm process.
import { connectChannels } from '../../../../../infra/local/run/channels.ts';
import { NoFigures } from '../../gate.ts';
import type { CountedConsumer } from '../monthly-units.ts';
import { type CountingWorld, startCountingWorld } from './counting-world.ts';

/** Each waits for the batching window of the queue. The first one starts the process and is not counted. */
const EVENTS = 4;

/** `channels` are those of the assembly, which all get the event. Rejects with NoFigures if one is not sent. */
export async function countChannel(assemblyFolder: string, channels: number): Promise<Omit<CountedConsumer, 'share'>> {
  const history = { entries: 0, days: 1, at: Date.now() };
  await using world = await startCountingWorld({ assemblyFolder, settings: {}, history });
  await connectChannels(world.cloud);
  await world.tick();
  await sendOne(world, channels);
  const from = { lines: world.lines.length, reports: world.reports.length };
  let tableReads = 0;
  let tableWrites = 0;
  let logBytes = 0;
  for (let done = 1; done < EVENTS; done += 1) {
    const counted = await sendOne(world, channels);
    tableReads += counted.tableReads;
    tableWrites += counted.tableWrites;
    logBytes += counted.logBytes;
  }
  const sent = (EVENTS - 1) * channels;
  const reports = world.reports.slice(from.reports).filter(({ trigger }) => trigger !== 'hand');
  if (reports.length !== sent) throw new NoFigures(`The notifier ran ${reports.length} times instead of ${sent}.`);
  return {
    durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0) / sent,
    tableReads: tableReads / sent,
    tableWrites: tableWrites / sent,
    logBytes: logBytes / sent,
  };
}

async function sendOne(world: CountingWorld, channels: number) {
  const before = world.cloud.services.ses.resources.all().length;
  const at = Date.now();
  world.setTime(at);
  world.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada', at });
  await world.tick();
  const limit = Date.now() + 60_000;
  while (world.cloud.services.ses.resources.all().length < before + channels) {
    if (Date.now() > limit) throw new NoFigures('A channel has sent nothing for a minute.');
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  await world.cloud.stopTicks();
  return world.since();
}
