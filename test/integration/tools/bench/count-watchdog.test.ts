import { expect, it } from 'vitest';
import { cachedAssembly } from '../../../../infra/local/cloudformation/assembly-cache.ts';
import { countWatchdog } from '../../../tools/bench/cost/count/count-watchdog.ts';
import { SOURCES } from '../../../tools/bench/cost/measure.ts';

it('counts what a look of the watchdog uses, and what each source adds to it', async () => {
  const many = Array.from({ length: 4 }, (_, at) => ({ ...SOURCES[0], sourceId: `source-${at}` }));
  const [few, more] = await Promise.all(
    [SOURCES, many].map(async (sources) => ({
      folder: await cachedAssembly({ context: { bridge: { sources } }, environment: process.env }),
      sourceIds: sources.map(({ sourceId }) => sourceId),
    })),
  );

  const { look, source } = await countWatchdog(few as never, more as never);

  // It reads what it has said, and which sources commands have added; it writes nothing and says nothing.
  expect(look).toMatchObject({ runs: 1, requests: 0, events: 0, tableReads: 2, tableWrites: 0, logLines: 1 });
  // A state is read without strong consistency.
  expect(source).toMatchObject({ runs: 0, tableReads: 0.5, tableWrites: 0, logLines: 0 });
});
