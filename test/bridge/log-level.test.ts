// The setting logLevel of the bridge, with the deployed bundle: Lambda has a filter of its own beside it.
import { expect, test } from 'vitest';
import { LOG_LEVELS, type LogLevel } from '../../functions/shared/log.ts';
import { startWorld } from '../support/world.ts';

/** The levels of the lines that the poller wrote in a run with a line of each level, and its metrics. */
async function levelsIn(logLevel: LogLevel | undefined): Promise<{ levels: LogLevel[]; metrics: number }> {
  const world = await startWorld({ logLevel });
  await world.tick();
  world.log.length = 0;
  world.aws.failEntries(() => true, 'MalformedDetail');
  world.service.write({ actionKey: 'ContactUpdated' });

  // Other filters are a warning, an entry in quarantine is an error, and each run ends with a line of information.
  await world.tick({ actionKeys: 'ContactUpdated' });

  const lines = world.log.map((line) => JSON.parse(line) as { level?: LogLevel; Quarantined?: number });
  return {
    levels: LOG_LEVELS.filter((name) => lines.some(({ level }) => level === name)),
    metrics: lines.filter(({ Quarantined }) => Quarantined === 1).length,
  };
}

test.each([
  [undefined, ['INFO', 'WARN', 'ERROR']],
  ['ERROR', ['ERROR']],
] as const)(
  'with logLevel %s the poller writes lines of these levels only, and its metrics: %j',
  async (level, levels) => {
    expect(await levelsIn(level)).toEqual({ levels, metrics: 1 });
  },
);
