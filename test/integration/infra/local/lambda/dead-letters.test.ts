// Events that a target refuses or a function fails on, with real processes and minutes of milliseconds.
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeadLetter } from '../../../../../infra/local/lambda/dead-letters.ts';
import type { InvocationReport } from '../../../../../infra/local/lambda/invocations.ts';
import { type LocalCloud, startLocalCloud } from '../../../../../infra/local/cloud/cloud.ts';
import type { LocalCloudOptions } from '../../../../../infra/local/cloud/cloud-options.ts';
import { type FixtureFunction, queue, writeFixtureAssembly } from '../../../../support/fixture-assembly.ts';
import { clientOptions, startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { startCloudToKill } from '../../../../support/killed-cloud.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const pattern = { source: ['membership.actionlog'] };
const consumer = (code: string, more: Partial<FixtureFunction> = {}): Record<string, FixtureFunction> => ({
  tell: { code: `exports.handler = async (event, context) => { ${code} };`, pattern, deadLetters: true, ...more },
});
const throwing = `throw new TypeError('no name in ' + event.detail.n);`;
/** A minute lasts 100 ms, so the retries of an invocation follow after 100 and 200 ms. */
const minuteMs = 100;

async function start(functions: Record<string, FixtureFunction>, options: Partial<LocalCloudOptions> = {}) {
  const reports: InvocationReport[] = [];
  const times: number[] = [];
  const letters: DeadLetter[] = [];
  const problems: string[] = [];
  const cloud = await startFixtureCloud(functions, {
    minuteMs,
    onInvocation: (report) => (times.push(Date.now()), reports.push(report)),
    onDeadLetter: (letter) => letters.push(letter),
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  return { cloud, reports, times, letters, problems };
}

async function put(cloud: LocalCloud, Detail = '{"n":9007199254740993}'): Promise<string> {
  const entry = { EventBusName: 'membership', Source: 'membership.actionlog', DetailType: 'MemberChanged', Detail };
  const { Entries } = await new EventBridgeClient(clientOptions(cloud)).send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  return String(Entries?.[0]?.EventId);
}

/** Waits for the only letter in the queue. */
async function letterIn(cloud: LocalCloud, name = 'tell-dead'): Promise<Message> {
  const client = new SQSClient(clientOptions(cloud));
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: `${cloud.endpointUrl}/123456789012/${name}`,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      WaitTimeSeconds: 20,
    }),
  );
  expect(Messages).toHaveLength(1);
  return Messages[0] ?? {};
}

type InvocationRecord = {
  requestContext: { requestId: string; condition: string; approximateInvokeCount: number };
  requestPayload: { id: string };
  responsePayload: { errorType: string; errorMessage: string };
};
const recordOf = (letter: Message): InvocationRecord => JSON.parse(letter.Body ?? '') as InvocationRecord;

describe('function that fails on an event', () => {
  test('D19 gets it twice more with the same request id, and then its record is in the dead-letter queue', async () => {
    const { cloud, reports, times, letters } = await start(consumer(throwing, { retryAttempts: 2 }));

    const id = await put(cloud);

    const letter = await letterIn(cloud);
    expect(letter.Body).toContain('"detail":{"n":9007199254740993}');
    expect(recordOf(letter)).toMatchObject({
      version: '1.0',
      requestContext: {
        requestId: reports[0]?.requestId,
        functionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:Fixture-tell:live',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 3,
      },
      requestPayload: { id, 'detail-type': 'MemberChanged' },
      responseContext: { statusCode: 200, executedVersion: '1', functionError: 'Unhandled' },
      responsePayload: { errorType: 'TypeError', errorMessage: 'no name in 9007199254740992' },
    });
    expect(reports.map(({ retry }) => retry)).toEqual([0, 1, 2]);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(minuteMs - 1);
    expect(third - second).toBeGreaterThanOrEqual(2 * minuteMs - 1);
    expect(new Set(reports.map(({ requestId }) => requestId)).size).toBe(1);
    expect(letters).toEqual([
      { queueName: 'tell-dead', target: 'Fixture-tell', reason: 'TypeError: no name in 9007199254740992' },
    ]);
  });

  test('does not get it again after a successful retry', async () => {
    const code = `globalThis.calls = (globalThis.calls ?? 0) + 1; if (calls < 3) throw new Error('not yet'); return calls`;
    const { cloud, reports } = await start(consumer(code, { retryAttempts: 2 }));

    await put(cloud);
    await until(() => reports.some(({ result }) => result === '3'));

    await sleep(3 * minuteMs);
    expect(reports).toHaveLength(3);
    expect(cloud.services.sqs.resources.depth('tell-dead')).toBe(0);
  });

  test('has failed when its time is up', async () => {
    const code = `await new Promise(() => setInterval(() => {}, 1000));`;
    const { cloud } = await start(consumer(code, { retryAttempts: 1, timeoutSeconds: 1 }));

    await put(cloud);

    const { requestContext, responsePayload } = recordOf(await letterIn(cloud));
    expect(requestContext.approximateInvokeCount).toBe(2);
    expect(responsePayload).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/^RequestId: .* Task timed out after 1\.00 seconds/),
    });
  });

  test('has failed when its process is killed, and gets the event again in a new one', async () => {
    const code = `if (event.detail.n === 1) await new Promise(() => setInterval(() => {}, 1000)); return 'done'`;
    const { cloud, reports } = await start(consumer(code, { retryAttempts: 1, timeoutSeconds: 60 }));
    await put(cloud, '{"n":1}');
    await until(() => cloud.services.lambda.resources.pids().length === 1);

    cloud.services.lambda.resources.kill();
    await until(() => reports.length === 1 && cloud.services.lambda.resources.pids().length === 1);
    cloud.services.lambda.resources.kill();

    expect(recordOf(await letterIn(cloud)).responsePayload.errorType).toBe('Runtime.ExitError');
    expect(reports).toMatchObject([{ retry: 0 }, { retry: 1 }]);
  });

  test('does not get an event again that is too old for the retry', async () => {
    const { cloud } = await start(consumer(throwing, { retryAttempts: 2, maximumAgeSeconds: 150 }));

    await put(cloud);

    const { requestContext } = recordOf(await letterIn(cloud));
    expect(requestContext).toMatchObject({ condition: 'EventAgeExceeded', approximateInvokeCount: 2 });
  });

  test('drops an event without a queue, and says so', async () => {
    const { cloud, problems } = await start(consumer(throwing, { retryAttempts: 0, deadLetters: false }));

    await put(cloud);
    await until(() => problems.length > 0);

    expect(problems).toEqual([
      'An event for Fixture-tell was dropped, because it has no dead-letter queue (TypeError: no name in 9007199254740992).',
    ]);
  });

  test('does not get a tick again, and nothing is reported', async () => {
    const { reports, problems } = await start(
      { poll: { code: `exports.handler = async () => { throw new Error('down') };` } },
      { everyMs: 50 },
    );

    await until(() => reports.length > 3);

    expect(reports.every(({ retry, trigger }) => retry === 0 && trigger === 'tick')).toBe(true);
    expect(problems).toEqual([]);
  });

  test('does not get a refused tick, and the refusal is reported', async () => {
    const { reports } = await start(
      { poll: { code: `exports.handler = async () => 'ran';` } },
      {
        everyMs: 50,
        refuseInvocation: () => ({ errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' }),
      },
    );

    await until(() => reports.length > 1);

    expect(reports[0]).toMatchObject({ trigger: 'tick', retry: 0, error: { errorType: 'TooManyRequestsException' } });
    expect(reports.every(({ result }) => result === undefined)).toBe(true);
  });

  test('fails without running if the hook says so', async () => {
    const { cloud, reports } = await start(consumer(`return 'ran'`, { retryAttempts: 1 }), {
      failInvocation: (functionName, trigger) =>
        functionName === 'Fixture-tell' && trigger === 'event' ? { errorType: 'Fault', errorMessage: 'planned' } : null,
    });

    await put(cloud);

    expect(recordOf(await letterIn(cloud)).responsePayload).toEqual({ errorType: 'Fault', errorMessage: 'planned' });
    expect(reports).toMatchObject([{ error: { errorType: 'Fault' } }, { retry: 1 }]);
    expect(cloud.services.lambda.resources.pids()).toEqual([]);
  });

  test('handles four events concurrently, and finally all of them', async () => {
    const code = `await new Promise((go) => setTimeout(go, 200)); return event.detail.n`;
    const { cloud, reports } = await start(consumer(code));

    for (let n = 0; n < 10; n += 1) await put(cloud, `{"n":${n}}`);
    await until(() => reports.length === 10);

    expect(cloud.services.lambda.resources.pids().length).toBeLessThanOrEqual(4);
    expect(new Set(reports.map(({ result }) => result)).size).toBe(10);
  });
});

describe('target that refuses an event', () => {
  const throttled = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };
  const attribute = ({ MessageAttributes = {} }: Message, name: string) => MessageAttributes[name]?.StringValue;

  test("is retried, and finally the event is in the dead-letter queue with EventBridge's attributes", async () => {
    let asked = 0;
    const refuseInvocation = () => {
      asked += 1;
      return throttled;
    };
    const { cloud, letters, reports } = await start(consumer(`return 1`, { deliveryAttempts: 3 }), {
      refuseInvocation,
    });

    await put(cloud);

    const letter = await letterIn(cloud);
    const [event] = cloud.services.eventbridge.resources.events();
    expect(letter.Body).toBe(event?.text);
    expect(asked).toBe(4);
    expect(reports).toEqual([]);
    expect(Object.keys(letter.MessageAttributes ?? {}).toSorted()).toEqual([
      'ERROR_CODE',
      'ERROR_MESSAGE',
      'EXHAUSTED_RETRY_CONDITION',
      'RETRY_ATTEMPTS',
      'RULE_ARN',
      'TARGET_ARN',
    ]);
    expect(attribute(letter, 'RULE_ARN')).toBe('arn:aws:events:eu-central-1:123456789012:rule/Fixture-tellRule');
    expect(attribute(letter, 'TARGET_ARN')).toMatch(/:function:Fixture-tell:live$/);
    expect(attribute(letter, 'ERROR_CODE')).toBe('THROTTLING');
    expect(attribute(letter, 'ERROR_MESSAGE')).toBe('Rate Exceeded.');
    expect(attribute(letter, 'EXHAUSTED_RETRY_CONDITION')).toBe('MaximumRetryAttempts');
    expect(attribute(letter, 'RETRY_ATTEMPTS')).toBe('3');
    expect(letters).toEqual([
      { queueName: 'tell-dead', target: 'Fixture-tell', reason: 'TooManyRequestsException: Rate Exceeded.' },
    ]);
  });

  test('gets the event when it accepts again', async () => {
    let refusals = 2;
    const { cloud, reports } = await start(consumer(`return event.id`), {
      refuseInvocation: () => (refusals-- > 0 ? throttled : null),
    });

    const id = await put(cloud);
    await until(() => reports.length > 0);

    expect(reports).toMatchObject([{ result: JSON.stringify(id), retry: 0 }]);
    expect(cloud.services.sqs.resources.depth('tell-dead')).toBe(0);
  });

  test.each([
    ['a function that is not there', 'arn:aws:lambda:eu-central-1:123456789012:function:gone', {}, 'NO_RESOURCE'],
    ['a log group that is not there', 'arn:aws:logs:eu-central-1:123456789012:log-group:/gone', {}, 'NO_RESOURCE'],
    ['a queue that is not there', 'arn:aws:sqs:eu-central-1:123456789012:gone', {}, 'NO_RESOURCE'],
    [
      'a function that may not be invoked',
      { Ref: 'tellAlias' },
      { refuseInvocation: () => ({ errorType: 'AccessDeniedException', errorMessage: 'no permission' }) },
      'NO_PERMISSIONS',
    ],
    [
      'a queue that nobody may send to',
      { 'Fn::GetAtt': ['Letters', 'Arn'] },
      {
        refuseInvocation: (target: string) =>
          target.endsWith(':letters') ? { errorType: 'AccessDeniedException', errorMessage: 'no permission' } : null,
      },
      'NO_PERMISSIONS',
    ],
  ])('is not retried if that cannot help: %s', async (_what, Arn, options, code) => {
    const DeadLetterConfig = { Arn: { 'Fn::GetAtt': ['Letters', 'Arn'] } };
    const Targets = [{ Id: 'Target0', Arn, DeadLetterConfig }];
    const Properties = { EventBusName: { Ref: 'Bus' }, EventPattern: pattern, Targets };
    const resources = { Letters: queue('letters'), Rule: { Type: 'AWS::Events::Rule', Properties } };
    const cloud = await startFixtureCloud(consumer(`return 1`, { pattern: undefined }), { resources, ...options });

    await put(cloud);

    const letter = await letterIn(cloud, 'letters');
    expect([attribute(letter, 'ERROR_CODE'), attribute(letter, 'RETRY_ATTEMPTS')]).toEqual([code, '0']);
    expect(letter.MessageAttributes).not.toHaveProperty('EXHAUSTED_RETRY_CONDITION');
  });
});

describe('target that is not a function', () => {
  const to = (Arn: object) => ({
    Type: 'AWS::Events::Rule',
    Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: pattern, Targets: [{ Id: 'Target0', Arn }] },
  });

  test('gets the event exactly as it is on the bus: a queue', async () => {
    const resources = { Letters: queue('letters'), Rule: to({ 'Fn::GetAtt': ['Letters', 'Arn'] }) };
    const cloud = await startFixtureCloud(consumer(`return 1`, { pattern: undefined }), { resources });

    await put(cloud);

    const [event] = cloud.services.eventbridge.resources.events();
    expect((await letterIn(cloud, 'letters')).Body).toBe(event?.text);
  });

  test('gets the event exactly as it is on the bus: a log group, in a file of its name', async () => {
    const folder = await temporaryFolder();
    const Log = { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: '/aws/events/all', RetentionInDays: 7 } };
    const resources = { Log, Rule: to({ 'Fn::GetAtt': ['Log', 'Arn'] }) };
    const options = { resources, stateFolder: folder };
    const cloud = await startFixtureCloud(consumer(`return 1`, { pattern: undefined }), options);

    await put(cloud);
    await put(cloud, '{"n":2}');

    const text = await readFile(join(folder, 'logs/aws-events-all.ndjson'), 'utf8');
    expect(text.trim().split('\n')).toEqual(
      [...cloud.services.eventbridge.resources.events()].map(({ text: line }) => line),
    );
  });
});

describe('crash in the middle', () => {
  const slow = `await new Promise((go) => setTimeout(go, 300)); return event.id`;

  test('loses no event of a consumer when all processes are killed', async () => {
    const folder = await temporaryFolder();
    const assemblyFolder = await writeFixtureAssembly(join(folder, 'assembly'), consumer(slow));
    const options = { assemblyFolder, stateFolder: join(folder, 'state'), everyMs: null };
    const { child, cloud: running, results } = await startCloudToKill(options);
    const accepted: string[] = [];
    for (let n = 0; n < 12; n += 1) accepted.push(await put(running));
    await until(() => results().length > 2);

    child.kill('SIGKILL');
    await once(child, 'close');

    const doneBefore = results();
    const done = new Set(doneBefore);
    const onInvocation = ({ result = '' }: InvocationReport): unknown => done.add(result);
    const cloud = await startLocalCloud({ ...options, onInvocation });
    onTestFinished(async () => await cloud.close());
    await until(() => accepted.every((id) => done.has(JSON.stringify(id))));
    expect(doneBefore.length).toBeLessThan(accepted.length);
  });

  /** `start` again continues from the same state. */
  async function restartable(functions: Record<string, FixtureFunction>) {
    const folder = await temporaryFolder();
    const assemblyFolder = await writeFixtureAssembly(join(folder, 'assembly'), functions);
    const reports: InvocationReport[] = [];
    const onInvocation = (report: InvocationReport): unknown => reports.push(report);
    const options = { assemblyFolder, stateFolder: join(folder, 'state'), everyMs: null, onInvocation };
    const startAgain = async (more: Partial<LocalCloudOptions> = {}): Promise<LocalCloud> => {
      const cloud = await startLocalCloud({ ...options, ...more });
      onTestFinished(async () => await cloud.close());
      return cloud;
    };
    return { folder, reports, start: startAgain };
  }

  test('continues the retries of a failed event at the next start, with its count', async () => {
    const { reports, start } = await restartable(consumer(throwing, { retryAttempts: 2 }));
    const before = await start();
    await put(before);
    await until(() => reports.length === 1);
    await before.close();

    const after = await start({ minuteMs });

    const { requestContext } = recordOf(await letterIn(after));
    expect(requestContext.approximateInvokeCount).toBe(3);
    expect(reports.map(({ retry }) => retry)).toEqual([0, 1, 2]);
  });

  test('continues a refused delivery at the next start', async () => {
    const { reports, start } = await restartable(consumer(`return event.id`));
    const before = await start({
      refuseInvocation: () => ({ errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' }),
    });
    const id = await put(before);
    await before.close();

    await start();

    await until(() => reports.length > 0);
    expect(reports).toMatchObject([{ result: JSON.stringify(id) }]);
  });

  test('starts a running event again after the cloud was closed, without counting that as a failure', async () => {
    const { reports, start } = await restartable(consumer(slow));
    const before = await start();
    const id = await put(before);
    await until(() => before.services.lambda.resources.pids().length === 1);
    await before.close();
    reports.length = 0;

    await start();

    await until(() => reports.length > 0);
    expect(reports).toMatchObject([{ result: JSON.stringify(id), retry: 0 }]);
  });

  test('does not start finished events again', async () => {
    const code = `if (event.detail.n === 1) throw new Error('broken'); return event.id`;
    const { reports, start } = await restartable(consumer(code));
    const before = await start();
    await put(before, '{"n":1}');
    await put(before, '{"n":2}');
    await until(() => reports.length === 2);
    await before.close();

    const after = await start();
    await put(after, '{"n":3}');
    await after.stopTicks();

    expect(reports).toHaveLength(3);
    expect(after.services.sqs.resources.depth('tell-dead')).toBe(1);
  });

  test('does not deliver again what was finally accepted or is in the dead-letter queue', async () => {
    const { reports, start } = await restartable(consumer(`return event.detail.n`, { deliveryAttempts: 1 }));
    const throttled = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };
    const answers = [throttled, null, throttled, throttled];
    const before = await start({ minuteMs, refuseInvocation: () => answers.shift() ?? null });
    await put(before, '{"n":1}');
    await until(() => reports.length === 1);
    await put(before, '{"n":2}');
    await until(() => before.services.sqs.resources.depth('tell-dead') === 1);
    await before.close();

    const after = await start({ minuteMs });
    await put(after, '{"n":3}');
    await after.stopTicks();

    expect(reports.map(({ result }) => result)).toEqual(['1', '3']);
    expect(after.services.sqs.resources.depth('tell-dead')).toBe(1);
  });

  test('keeps events of a function that the template no longer has, and says so', async () => {
    const { folder, reports, start } = await restartable(consumer(slow));
    const code = 'exports.handler = async () => 1;';
    const others = await writeFixtureAssembly(join(folder, 'others'), { other: { code } });
    const before = await start();
    const id = await put(before);
    await before.close();
    const problems: string[] = [];
    const onProblem = (problem: string): unknown => problems.push(problem);
    await (await start({ assemblyFolder: others, onProblem })).close();
    reports.length = 0;

    await start();

    expect(problems).toEqual([
      expect.stringMatching(/^Events wait for functions that the template no longer has: 1 \(Fixture-tell\)/),
    ]);
    await until(() => reports.length > 0);
    expect(reports).toMatchObject([{ result: JSON.stringify(id) }]);
  });
});
