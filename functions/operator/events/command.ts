// `events`: what was published: list, show, and replay to one consumer.
import { Command, InvalidArgumentError } from 'commander';
import { Problem } from '../../shared/problem.ts';
import { parseJson } from '../../shared/json.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { OperatorCloud } from '../bridge/ports.ts';
import { consumerNamed, readConsumers } from '../bridge/read-bridge.ts';
import { carryOut, type ChangeOptions, changing } from '../change.ts';
import { type BridgeOptions, bridgeCommand, openBridge, type Surroundings } from '../command.ts';
import { readInstant } from '../terminal/instant-option.ts';
import { readSpan } from '../terminal/span-option.ts';
import { secondOf } from '../terminal/text-layout.ts';
import { type ListedEvent, toListed } from './listed-event.ts';

type ListOptions = BridgeOptions & { since: number; limit: number; type?: string };
type ReplayOptions = BridgeOptions & ChangeOptions & { from: number; to: number; toConsumer: string };

const MAX_LISTED = 10_000;
/** The event log keeps its events for a week. */
const LOG_DAYS = '7d';
/** How long the archive keeps events. */
const ARCHIVE_MS = 90 * 86_400_000;

export function eventsCommand(surroundings: Surroundings): Command {
  return new Command('events')
    .description('What was published: the event log, and the archive.')
    .addCommand(listCommand(surroundings))
    .addCommand(showCommand(surroundings))
    .addCommand(replayCommand(surroundings));
}

function listCommand(surroundings: Surroundings): Command {
  const examples = ['events list', 'events list --since 2d --type MemberChanged', 'events list --json'];
  return bridgeCommand('list', "Lists published events, newest last, without members' data.", examples)
    .option('--since <span>', 'how far back, such as 30m, 6h or 2d', readSpan, readSpan('1h'))
    .option('--type <detail type>', 'only events of this type', readWord)
    .option('--limit <number>', 'the last so many (default: 50, at most 10000)', readLimit, 50)
    .action(async (options: ListOptions) => {
      const { output, clock } = surroundings;
      const { cloud, bridge } = await openBridge(surroundings, options);
      const group = await eventLogOf(cloud, bridge);
      const filter = options.type === undefined ? '' : `{ $.detail-type = "${options.type}" }`;
      const events: ListedEvent[] = [];
      for await (const line of cloud.readLog({ group, from: clock.now() - options.since, filter })) {
        const event = toListed(line);
        if (event !== null) events.push(event);
        if (events.length > options.limit) events.shift();
      }
      if (options.json) return output.json(events);
      if (events.length === 0) return output.note('The event log has none in that time.');
      output.table(['PUBLISHED', 'TYPE', 'ACTION', 'EVENT'], events.map(toRow));
    });
}

function toRow({ at, detailType, actionKey, id }: ListedEvent): string[] {
  return [at, detailType, actionKey ?? '-', id ?? '-'];
}

function showCommand(surroundings: Surroundings): Command {
  return bridgeCommand('show', "Shows one event whole, with members' data.", [
    'events show 7fb8b432-be4b-8a81-8fc7-8c45f80d2c51',
  ])
    .argument('<event>', 'its id, as `events list` shows it', readWord)
    .action(async (id: string, options: BridgeOptions) => {
      const { output, clock } = surroundings;
      const { cloud, bridge } = await openBridge(surroundings, options);
      const group = await eventLogOf(cloud, bridge);
      const from = clock.now() - readSpan(LOG_DAYS);
      for await (const { message } of cloud.readLog({ group, from, filter: `{ $.detail.metadata.id = "${id}" }` }))
        return output.json(parseJson(message));
      throw new Problem(`The event log has no event ${id} of the last week.`);
    });
}

function replayCommand(surroundings: Surroundings): Command {
  const example = 'events replay --from 2026-11-20T09:00:00Z --to 2026-11-20T10:00:00Z --to-consumer member-change';
  const text = 'Lets the archive pass the events of a span to one consumer again, and to no other.';
  return changing(bridgeCommand('replay', text, [example]))
    .requiredOption('--from <instant>', 'the beginning of the span', readInstant)
    .requiredOption('--to <instant>', 'its end', readInstant)
    .requiredOption('--to-consumer <name>', 'a consumer, as `status` names it')
    .action(async (options: ReplayOptions) => {
      const { clock } = surroundings;
      const { from, to, toConsumer } = options;
      checkSpan({ from, to, now: clock.now() });
      const { cloud, bridge } = await openBridge(surroundings, options);
      const consumers = await readConsumers(cloud, bridge, await cloud.readAlarms(`${bridge.stackName} `));
      const { name, rule, targetArn } = consumerNamed(consumers, toConsumer);
      if (rule === null) throw new Problem(`No rule passes events to ${name}, so nothing can be replayed to it.`);
      if (targetArn?.includes(':sqs:'))
        throw new Problem(`${name} passes over replayed events: a notification of something long past would confuse.`);
      const span = `${secondOf(from)} to ${secondOf(to)}`;
      await carryOut(
        surroundings,
        { cloud, bridge },
        {
          command: `events replay --from ${secondOf(from)} --to ${secondOf(to)} --to-consumer ${name}`,
          sourceId: null,
          plan: [
            `The archive passes the events that were published from ${span} to ${name} again, under their ids.`,
            'No other consumer receives them. Events of the last minutes may not be in the archive yet.',
          ],
          undo: 'not possible. A consumer that is idempotent handles an event once, however often it arrives.',
          run: async () => {
            const replay = `membership-bridge-${clock.now()}`;
            await cloud.startReplay({ name: replay, from, to, ...replayed(bridge, rule) });
            return `The replay ${replay} has begun; AWS takes some minutes for it.`;
          },
        },
        options,
      );
    });
}

function replayed({ archiveArn, eventBusArn }: Bridge, rule: { name: string; busName: string }) {
  const ruleArn = `${eventBusArn.replace(/:event-bus\/.*$/, '')}:rule/${rule.busName}/${rule.name}`;
  return { archiveArn, eventBusArn, ruleArn };
}

function checkSpan({ from, to, now }: { from: number; to: number; now: number }): void {
  if (from >= to) throw new Problem('--from is not before --to.');
  if (to > now) throw new Problem('--to is in the future: write an instant up to now.');
  if (from < now - ARCHIVE_MS) throw new Problem('--from is more than 90 days ago, and the archive keeps no more.');
}

/** The log group of the event log. Rejects with a Problem that names the setting where it is switched off. */
async function eventLogOf(cloud: OperatorCloud, { stackName }: Bridge): Promise<string> {
  const resources = await cloud.readResources(stackName);
  const group = resources.find(
    ({ type, physicalId }) => type === 'AWS::Logs::LogGroup' && physicalId.startsWith('/aws/events/'),
  );
  if (group !== undefined) return group.physicalId;
  throw new Problem(
    `${stackName} keeps no event log. Set "eventLog": true in cdk.json and deploy: from then on it has a week of events.`,
  );
}

/** Goes into a filter pattern. */
function readWord(text: string): string {
  if (/^[\w-]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError('Write letters, digits and hyphens.');
}

function readLimit(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_LISTED) return Number(text);
  throw new InvalidArgumentError(`Write a whole number from 1 to ${MAX_LISTED}.`);
}
