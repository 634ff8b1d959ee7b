import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, test } from 'vitest';
import { sampleEvent } from '../../../../../functions/events/sample-event.ts';
import { runningFunctions } from '../../../../../infra/local/cloud/running-functions.ts';
import { deliverEvent, type Sent } from '../../../../../infra/local/trigger/deliver-event.ts';
import { queue } from '../../../../support/fixture-assembly.ts';
import { clientOptions, startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { until } from '../../../../support/until.ts';

const SAYS = `exports.handler = async (event) => {
  if (event.detail?.metadata?.actionKey === 'DebtDeleted') throw Object.assign(new Error('No.'), { code: 'Refused' });
  console.log(JSON.stringify({ got: event }));
};`;
const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

async function world() {
  const got: object[] = [];
  const cloud = await startFixtureCloud(
    {
      poller: { code: SAYS },
      direct: { code: SAYS, pattern: { 'detail-type': ['DebtChanged', 'PaymentChanged'] } },
      queued: { code: SAYS },
      refunds: { code: SAYS, pattern: { detail: { metadata: { actionKey: ['PaymentRefunded'] } } } },
    },
    {
      onOutput: (line) => line.startsWith('{"got"') && got.push((JSON.parse(line) as { got: object }).got),
      resources: {
        Queue: queue('waiting', {}),
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { EventSourceArn: arnOf('Queue'), FunctionName: 'Fixture-queued:live' },
        },
        Rule: {
          Type: 'AWS::Events::Rule',
          Properties: {
            EventBusName: 'membership',
            EventPattern: { 'detail-type': ['TagChanged'] },
            Targets: [{ Id: 'Queue', Arn: arnOf('Queue') }],
          },
        },
      },
    },
  );
  const running = runningFunctions(cloud.definitions).map((one) => ({
    ...one,
    shortName: one.name.replace('Fixture-', ''),
  }));
  const deliver = async (sent: Sent) => await deliverEvent(sent, { running, cloud });
  const publish = async (event: ReturnType<typeof sampleEvent>): Promise<void> => {
    const { source: Source, 'detail-type': DetailType, detail } = event;
    const entry = { EventBusName: 'membership', Source, DetailType, Detail: JSON.stringify(detail) };
    const client = new EventBridgeClient(clientOptions(cloud));
    expect(await client.send(new PutEventsCommand({ Entries: [entry] }))).toMatchObject({ FailedEntryCount: 0 });
  };
  return { cloud, got, deliver, publish };
}

describe('an event for one consumer', () => {
  test('is by default the sample of an action, where its rule takes that action alone', async () => {
    const { deliver } = await world();

    expect(await deliver({ to: 'refunds', sample: null })).toMatchObject({
      detailType: 'PaymentChanged',
      isTaken: true,
    });
  });

  test('is by default the sample of a type that it listens to', async () => {
    const { deliver, got } = await world();

    const delivered = await deliver({ to: 'direct', sample: null });

    expect(delivered).toEqual({
      consumer: 'direct',
      detailType: 'PaymentChanged',
      eventId: expect.any(String),
      isTaken: true,
      outcome: { durationMs: expect.any(Number) },
    });
    await until(() => got.length === 1);
    expect(got[0]).toMatchObject({ 'detail-type': 'PaymentChanged', detail: { metadata: { id: delivered.eventId } } });
  });

  test('is sent even if no rule takes it, and this is said', async () => {
    const { deliver, got } = await world();

    const { isTaken } = await deliver({ to: 'direct', sample: 'ContactCreated' });

    await until(() => got.length === 1);
    expect(isTaken).toBe(false);
    expect(got[0]).toMatchObject({ detail: { metadata: { actionKey: 'ContactCreated' } } });
  });

  test('is invoked once, and a failure is the answer', async () => {
    const { deliver, got } = await world();

    const { outcome } = await deliver({ to: 'direct', sample: 'DebtDeleted' });

    expect(outcome).toMatchObject({ error: { errorType: 'Error', errorMessage: 'No.', code: 'Refused' } });
    expect(got).toEqual([]);
  });

  test('goes through the queue of a consumer that has one', async () => {
    const { deliver, got } = await world();

    const { outcome, eventId } = await deliver({ to: 'queued', sample: null });

    expect(outcome).toEqual({ queues: ['waiting'] });
    await until(() => got.length === 1);
    const body = (got[0] as { Records: { body: string }[] }).Records[0]?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({ 'detail-type': 'TagChanged', detail: { metadata: { id: eventId } } });
  });

  test('is one of the past, exactly as the bus accepted it, by its id, the beginning of it, or that of EventBridge', async () => {
    const { cloud, deliver, publish, got } = await world();
    await publish(sampleEvent('TagChanged'));
    await publish(sampleEvent('GapDetected'));
    const [event] = cloud.services.eventbridge.resources.events();
    const { id = '' } = (event?.detail as { metadata?: { id?: string } } | undefined)?.metadata ?? {};
    await until(() => got.length === 1);

    for (const eventId of [id, id.toUpperCase(), id.slice(0, 8), event?.id ?? ''])
      expect(await deliver({ to: 'direct', eventId })).toMatchObject({ eventId: id, detailType: 'TagChanged' });

    await until(() => got.length === 5);
    expect(got.slice(1)).toEqual(Array.from({ length: 4 }, () => JSON.parse(event?.text ?? '') as object));
  });

  test.each<[Sent, RegExp]>([
    [
      { to: 'driect', sample: null },
      /^--to driect names no consumer of this run\. Did you mean direct\? Those that run: direct, queued, refunds; npm start -- --consumers/,
    ],
    [{ to: 'poller', sample: null }, /^--to poller names no consumer/],
    [{ to: 'direct', sample: 'Paymnt' }, /^Paymnt has no sample\. Did you mean PaymentChanged/],
    [{ to: 'direct', eventId: 'abc' }, /^--event abc names none of the 0 events .* Wait for the first one\.$/],
  ])('is refused in one line: %j', async (sent, problem) => {
    const { deliver } = await world();

    await expect(deliver(sent)).rejects.toThrow(problem);
  });

  test("is found among events of others, whose metadata may hold anything, by the id's own letters", async () => {
    const { cloud, deliver, publish } = await world();
    const [odd, own] = [42, 'Order-7'].map((id) => ({ ...sampleEvent('TagChanged'), detail: { metadata: { id } } }));
    await publish(odd as never);
    await publish(own as never);
    const [{ id = '' } = {}] = cloud.services.eventbridge.resources.events();

    expect(await deliver({ to: 'direct', eventId: 'Order-7' })).toMatchObject({ eventId: 'Order-7' });
    expect(await deliver({ to: 'direct', eventId: id })).toMatchObject({ eventId: id });
  });

  test('names the newest event, and an ambiguous beginning', async () => {
    const { deliver, publish } = await world();
    const idOf = (last: string) => ({ detail: { metadata: { id: `11111111-2222-8333-8444-55555555555${last}` } } });
    await publish(sampleEvent('TagChanged', idOf('1')));
    await publish(sampleEvent('TagChanged', idOf('2')));

    await expect(deliver({ to: 'direct', eventId: '11111111' })).rejects.toThrow(/begins 2 ids\. Write more of it\.$/);
    await expect(deliver({ to: 'direct', eventId: '99999999' })).rejects.toThrow(
      /none of the 2 events .* The newest is 11111111-2222-8333-8444-555555555552; events\.ndjson/,
    );
  });
});
