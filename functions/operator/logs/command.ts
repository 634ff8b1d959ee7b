// `logs`: what a source's runs or a consumer's function have written.
import { type Command } from 'commander';
import { logText } from '../../shared/log-text.ts';
import { Problem } from '../../shared/problem.ts';
import { type Bridge, CONSUMERS } from '../bridge/bridge.ts';
import type { LogLine, OperatorCloud } from '../bridge/ports.ts';
import { readNamed } from '../bridge/read-bridge.ts';
import { type BridgeOptions, bridgeCommand, openBridge, repeat, type Surroundings } from '../command.ts';
import { sinceOption } from '../terminal/span-option.ts';
import { secondOf } from '../terminal/text-layout.ts';

type LogOptions = BridgeOptions & { since: number; follow?: true; consumer?: true };

type Opened = { cloud: OperatorCloud; bridge: Bridge };

const FOLLOW_MS = 2_000;
/** CloudWatch shows a line some seconds after it was written; lines of one moment may come in any order. */
const OVERLAP_MS = 15_000;

export function logsCommand(surroundings: Surroundings): Command {
  const examples = ['logs acme', 'logs acme --since 6h', 'logs member-change --follow'];
  return bridgeCommand('logs', "Shows what a source's runs or a consumer's function have written.", examples)
    .argument('<name>', 'a source or a consumer, as `status` names it')
    .addOption(sinceOption('1h'))
    .option('--follow', 'goes on with new lines, until Ctrl-C')
    .addHelpText('after', '\nLong lines are cut off after 240 characters; --json prints them whole.')
    .option('--consumer', 'the consumer, where a source has the same name')
    .action(async (name: string, options: LogOptions) => {
      const { clock } = surroundings;
      const opened = await openBridge(surroundings, options);
      const { functionArn, filter } = await whereIs(opened, name, options);
      const group = await opened.cloud.readLogGroup(functionArn);
      const shown = new Set<string>();
      let from = clock.now() - options.since;
      const show = async (): Promise<void> => {
        for await (const line of opened.cloud.readLog({ group, from, filter })) {
          if (!shown.has(line.id)) print(line, options);
          shown.add(line.id);
          from = Math.max(from, line.at - OVERLAP_MS);
        }
      };
      await show();
      if (options.follow) await repeat(surroundings, FOLLOW_MS, show);
    });

  function print({ at, message }: LogLine, { json }: LogOptions): void {
    const { output } = surroundings;
    if (json) return output.jsonLine({ at: new Date(at).toISOString(), message });
    const text = logText(message);
    if (text === null) return;
    // A terminal breaks lines at blanks, and JSON has none.
    const shown = output.columns === null ? text : text.replaceAll(',"', ', "');
    output.line(`${secondOf(at)}  ${shown}`, ' '.repeat(22));
  }
}

/** The function of a source or consumer; of the poller only the lines of that source, and those of runs that died. */
async function whereIs(
  { cloud, bridge }: Opened,
  name: string,
  { consumer: isConsumer }: Pick<LogOptions, 'consumer'>,
): Promise<{ functionArn: string; filter: string }> {
  const found = await readNamed(cloud, bridge, { name, isConsumer: isConsumer === true });
  if ('source' in found) return { functionArn: bridge.pollerArn, filter: filterOf(name) };
  const { mapping, targetArn } = found.consumer;
  const functionArn = mapping?.functionArn ?? targetArn ?? '';
  if (functionArn.includes(':lambda:')) return { functionArn, filter: '' };
  const scheduled = await scheduledFunctionOf(cloud, bridge, name);
  if (scheduled !== null) return { functionArn: scheduled, filter: '' };
  throw new Problem(`${name} has no function that events reach, so there is no log of one.`);
}

/** The function that a schedule invokes: of the sealer, or the notifier for its digests. Null where there is none. */
async function scheduledFunctionOf(cloud: OperatorCloud, { stackName }: Bridge, name: string): Promise<string | null> {
  const [owner = ''] = /^notifier(?= )|.*/.exec(name) ?? [];
  const construct = owner.replaceAll(/(?:^|[ -])(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const resources = await cloud.readResources(`${stackName}${CONSUMERS}`);
  const found = resources.find(
    ({ type, logicalId }) => type === 'AWS::Lambda::Function' && logicalId.startsWith(`${construct}Function`),
  );
  return found?.physicalId ?? null;
}

/** Lambda's own line of a run that was killed has no source. */
function filterOf(sourceId: string): string {
  const killed = ['timeout', 'failure', 'error'].map((status) => `($.record.status = "${status}")`);
  return `{ ${[`($.sourceId = "${sourceId}")`, ...killed].join(' || ')} }`;
}
