// `GET /api/destinations`: where webhooks go, what became of them, and how one of them is signed, step by step.
import { Hono } from 'hono';
import {
  DESTINATION_TABLE_KEYS,
  duePartition,
  logKey,
  SHARDS,
  STATES,
} from '../../../../functions/aws/destinations/layout.ts';
import { idOf, toBody } from '../../../../functions/destinations/payload.ts';
import { signatureHeaders } from '../../../../functions/destinations/signature.ts';
import type { DeliveryRecord, DestinationState } from '../../../../functions/destinations/state.ts';
import { isJsonObject, parseJson } from '../../../../functions/shared/json.ts';
import { Problem } from '../../../../functions/shared/problem.ts';
import type { DestinationRow, SignedWebhook } from '../messages.ts';
import type { ConsoleWorld } from '../world.ts';

const MAX_RECORDS = 20;

type World = Pick<ConsoleWorld, 'cloud' | 'webhook' | 'forward'>;

export function destinationApi(world: World): Hono {
  const { webhook, forward } = world;
  const app = new Hono();
  const shown = [
    ...(webhook === null ? [] : [{ name: webhook.name, url: webhook.url, isSigned: true }]),
    ...(forward === null ? [] : [{ name: forward.name, url: forward.url, isSigned: false }]),
  ];
  app.get('/', async (context) => context.json(await Promise.all(shown.map(async (one) => await readRow(world, one)))));
  app.get('/signed/:eventId/:at', (context) => {
    if (webhook === null) throw new Problem('This run sends no webhooks.');
    const { eventId, at } = context.req.param();
    return context.json(explain(world, webhook.secret, { eventId, at: Number(at) }));
  });
  return app;
}

type Shown = Pick<DestinationRow, 'name' | 'url' | 'isSigned'>;

async function readRow({ cloud }: World, shown: Shown): Promise<DestinationRow> {
  const { name } = shown;
  const environments = cloud.definitions.functions.map(({ environment }) => environment['DESTINATIONS_TABLE_NAME']);
  const TableName = environments.find((name) => name !== undefined) ?? '';
  const query = async (partition: string, Limit?: number): Promise<Item[]> => {
    const { Items = [] } = (await cloud.call('dynamodb', 'Query', {
      TableName,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': DESTINATION_TABLE_KEYS.partition },
      ExpressionAttributeValues: { ':pk': { S: partition } },
      ScanIndexForward: false,
      ...(Limit === undefined ? {} : { Limit }),
    })) as { Items?: Record<string, Attribute>[] };
    return Items.map(toItem);
  };
  const states = await query(STATES);
  const found = states.find(({ sk }) => sk === name) as Partial<DestinationState> | undefined;
  const shards = Array.from({ length: SHARDS }, (_, shard) => duePartition(name, shard));
  const due = (await Promise.all(shards.map(async (shard) => await query(shard, MAX_RECORDS)))).flat();
  const log = await query(logKey({ destinationId: name, at: 0, eventId: '', attempt: 0 }).pk, MAX_RECORDS);
  const { halt = null, failingSince = null, notBefore = null, dead = 0 } = found ?? {};
  return { ...shown, halt, failingSince, notBefore, dead, due: due.length, deliveries: log as DeliveryRecord[] };
}

/** As the sender signed it: the body is made again of the same event. */
function explain({ cloud }: World, secret: string, { eventId, at }: { eventId: string; at: number }): SignedWebhook {
  for (const { text } of cloud.services.eventbridge.resources.events()) {
    if (!text.includes(eventId)) continue;
    const event = parseJson(text);
    if (!isJsonObject(event) || idOf(event) !== eventId) continue;
    const body = toBody(event, 'full');
    const seconds = Math.floor(at / 1_000);
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return {
      id: eventId,
      seconds,
      body: body.toString(),
      signature: signatureHeaders({ id: eventId, seconds, body }, [key])['webhook-signature'],
    };
  }
  throw new Problem('The journal of this run has no such event.');
}

type Attribute = { S?: string; N?: string; BOOL?: boolean; NULL?: true; M?: Record<string, Attribute> };
type Item = Record<string, unknown>;

function toItem(item: Record<string, Attribute>): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toValue(value)]));
}

function toValue({ S, N, BOOL, M }: Attribute): unknown {
  if (M !== undefined) return toItem(M);
  return S ?? (N === undefined ? (BOOL ?? null) : Number(N));
}
