// `status`: whether the bridge is fine, and why not.
import { type Command } from 'commander';
import { type BridgeOptions, bridgeCommand, openBridge, repeat, sourceNamed, type Surroundings } from '../command.ts';
import { readUpTo } from '../terminal/limit-option.ts';
import { readStatus } from './read-status.ts';
import { type BridgeStatus, EXIT_CODES } from './status.ts';
import { printStatus } from './print-status.ts';

type StatusOptions = BridgeOptions & { watch?: number | true };

/** Of --watch without a number, in seconds. */
const WATCH_SECONDS = 5;

const AFTER = `
Exit code: 0 fine, 1 not fine, 2 not known: something could not be read, or the
bridge was not found.`;

export function statusCommand(surroundings: Surroundings): Command {
  const examples = ['status', 'status acme', 'status --watch', 'status --json --stack production'];
  return bridgeCommand('status', 'Says whether the bridge is fine, and why not.', examples)
    .argument('[source]', 'only this source, with what is known of its service')
    .option(
      '--watch [seconds]',
      'again every so many seconds (5 without a number), until Ctrl-C; with --json, a line each time',
      readUpTo(9_999),
    )
    .addHelpText('after', AFTER)
    .action(async (sourceId: string | undefined, options: StatusOptions) => {
      const { clock } = surroundings;
      const { cloud, bridge } = await openBridge(surroundings, options);
      const show = async (): Promise<void> => {
        const status = await readStatus(cloud, bridge, {
          pick: (sources) => (sourceId === undefined ? sources : [sourceNamed(sources, sourceId)]),
          now: clock.now(),
        });
        print(status, sourceId !== undefined, options);
      };
      await show();
      if (options.watch === undefined) return;
      const seconds = options.watch === true ? WATCH_SECONDS : options.watch;
      await repeat(surroundings, seconds * 1_000, show);
    });

  function print(status: BridgeStatus, isOne: boolean, { json, watch }: StatusOptions): void {
    const { output, exitWith } = surroundings;
    if (watch !== undefined && !json) output.clear();
    if (json && watch !== undefined) output.jsonLine(status);
    else if (json) output.json(status);
    else printStatus(output, status, { withFacts: isOne });
    exitWith(EXIT_CODES[status.verdict]);
  }
}
