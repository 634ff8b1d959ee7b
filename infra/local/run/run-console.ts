// Opens the console of a run, on the port of the last one if that is free.
import { startConsole } from '../console/console.ts';
import type { ConsoleWorld } from '../console/world.ts';
import { onPort } from './bridge-run.ts';
import type { StartOptions } from './options.ts';
import type { StateFolder } from '../platform/state-folder.ts';

/** Resolves to its address, which has the key of the run. */
export async function openConsole(
  world: ConsoleWorld,
  run: {
    options: Pick<StartOptions, 'consolePort'>;
    folder: Pick<StateFolder, 'remembered' | 'remember'>;
    closing: AsyncDisposableStack;
  },
): Promise<string> {
  const { options, folder, closing } = run;
  const start = async (port: number) => await startConsole(world, { port });
  const { url, close } = await onPort(start, options.consolePort, folder.remembered.consolePort);
  closing.defer(close);
  folder.remember({ consolePort: Number(new URL(url).port) });
  return url;
}
