// Sends one consumer of this run an event: a sample, or one that the bus accepted. For commands and pages.
import { type JsonObject, parseJson, valueAt } from '../../../functions/shared/json.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import { compilePattern } from '../../../functions/events/patterns/event-pattern.ts';
import type { InvocationError } from '../lambda/function-child.ts';
import { type RunningFunction, rulesTo } from '../cloud/running-functions.ts';
import { didYouMean } from '../../shared/near-names.ts';
import { sampleOf, samples } from './sample.ts';

/** `sample` null: that of an event which the consumer listens to. `eventId` is `metadata.id`, or EventBridge's own. */
export type Sent = { to: string } & ({ sample: string | null } | { eventId: string });

export type DeliveryWorld = {
  running: readonly RunningFunction[];
  cloud: Pick<LocalCloud, 'definitions' | 'services'>;
};

export type Delivered = {
  consumer: string;
  detailType: string;
  /** `metadata.id`; EventBridge's own for an event of somebody else. */
  eventId: string;
  /** Whether a rule of the consumer takes the event; without one it never arrives over the bus. */
  isTaken: boolean;
  /** Invoked directly, or put into these queues, from which the function is invoked. */
  outcome: { durationMs: number; error?: InvocationError } | { queues: string[] };
};

/**
 * Invokes the consumer once, without retries or dead letters; one behind queues gets the event through those whose rule
 * takes it. Resolves when the invocation has ended. Rejects with a Problem for an unknown consumer or event.
 */
export async function deliverEvent(sent: Sent, { running, cloud }: DeliveryWorld): Promise<Delivered> {
  const consumer = consumerNamed(sent.to, running);
  const rules = rulesTo(consumer.name, cloud.definitions).map(({ rule, queueArn }) => ({
    takes: compilePattern(rule.pattern, rule.name),
    queueArn,
  }));
  const taking = (text: string): typeof rules => rules.filter(({ takes }) => takes(parseJson(text) as JsonObject));
  const isTaken = (text: string): boolean => taking(text).length > 0;
  const text = 'eventId' in sent ? pastEvent(sent.eventId, cloud) : sampleText(sent.sample, isTaken, consumer);
  const { id, 'detail-type': detailType, detail } = JSON.parse(text) as WrittenEvent;
  const event = {
    consumer: consumer.shortName,
    detailType,
    eventId: idIn(detail) ?? id,
    isTaken: isTaken(text),
  };
  const ways = event.isTaken ? taking(text) : rules;
  const queues = ways.flatMap(({ queueArn }) => queueArn ?? []);
  if (queues.length < ways.length) {
    const { durationMs, error } = await cloud.services.lambda.resources.invoke(consumer.name, text);
    return { ...event, outcome: { durationMs, ...(error === undefined ? {} : { error }) } };
  }
  for (const queueArn of queues) cloud.services.sqs.resources.send(queueArn, text);
  return { ...event, outcome: { queues: queues.map((arn) => arn.split(':').at(-1) ?? arn) } };
}

type WrittenEvent = { id: string; 'detail-type': string; detail: JsonObject };

/** Others put events on the bus, too: their metadata may hold anything. */
function idIn(detail: JsonObject): string | null {
  const id = valueAt(detail, '/metadata/id');
  return typeof id === 'string' ? id : null;
}

function consumerNamed(name: string, running: readonly RunningFunction[]): RunningFunction {
  const consumers = running.filter(({ kind }) => kind === 'consumer');
  const found = consumers.find(({ shortName }) => shortName === name);
  if (found !== undefined) return found;
  if (consumers.length === 0)
    throw new Problem(`No consumer is switched on in this run. Start it with npm start -- --consumers.`);
  const names = consumers.map(({ shortName }) => shortName);
  throw new Problem(
    `--to ${name} names no consumer of this run.${didYouMean(name, names)} Those that run: ${names.join(', ')}; npm start -- --consumers switches on all.`,
  );
}

function sampleText(name: string | null, takes: (text: string) => boolean, { shortName }: RunningFunction): string {
  if (name !== null) return JSON.stringify(sampleOf(name));
  const taken = samples()
    .map((sample) => JSON.stringify(sample))
    .find(takes);
  if (taken !== undefined) return taken;
  throw new Problem(
    `The rule of ${shortName} takes no sample. Name one before --sample: npm run trigger -- MemberChanged --sample --to ${shortName}`,
  );
}

/** The last one of that id, which may be shortened. */
function pastEvent(id: string, cloud: DeliveryWorld['cloud']): string {
  const asked = id.toLowerCase();
  const known = Iterator.from(cloud.services.eventbridge.resources.events())
    .map(({ id: envelopeId, detail, text }) => ({
      id: idIn(detail) ?? envelopeId,
      envelopeId,
      text,
    }))
    .toArray();
  const exact = known.findLast((event) => event.id.toLowerCase() === asked || event.envelopeId === asked);
  if (exact !== undefined) return exact.text;
  const begun = new Map(
    known.filter((event) => event.id.toLowerCase().startsWith(asked)).map((event) => [event.id, event.text]),
  );
  const [only, another] = begun.values();
  if (only !== undefined && another === undefined) return only;
  if (only !== undefined) throw new Problem(`--event ${id} begins ${begun.size} ids. Write more of it.`);
  const newest = known.at(-1);
  throw new Problem(
    `--event ${id} names none of the ${known.length} events that the bus has accepted. ${newest === undefined ? 'Wait for the first one.' : `The newest is ${newest.id}; events.ndjson in the state folder has all.`}`,
  );
}
