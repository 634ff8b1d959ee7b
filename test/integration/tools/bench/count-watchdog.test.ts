// @module-tag long
import { expect, it } from 'vitest';
import { cachedAssembly } from '../../../../infra/local/cloudformation/assembly-cache.ts';
import { countWatchdog } from '../../../tools/bench/cost/count/count-watchdog.ts';
import { SOURCES } from '../../../tools/bench/cost/measure.ts';
import { WATCHED } from '../../../support/watched-bridge.ts';

it('counts what a look of the watchdog uses, and what each source adds to it', async () => {
  const [few, more] = await Promise.all(
    [{ sources: SOURCES }, WATCHED].map(async (bridge) => ({
      folder: await cachedAssembly({ context: { bridge }, environment: process.env }),
      sourceIds: bridge.sources.map(({ sourceId }) => sourceId),
    })),
  );

  const { look, source } = await countWatchdog(few as never, more as never);

  // It reads what it has said, and which sources commands have added; it writes nothing and says nothing.
  expect(look).toMatchObject({ runs: 1, requests: 0, events: 0, tableReads: 2, tableWrites: 0, logLines: 1 });
  // A state is read without strong consistency.
  expect(source).toMatchObject({ runs: 0, tableReads: 0.5, tableWrites: 0, logLines: 0 });
});
