// A debugger, by the Chrome DevTools Protocol, at a function of `npm start`.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askRun } from '../../../../../infra/local/cloud/ask-run.ts';
import { findRun } from '../../../../../infra/local/platform/state-folder.ts';
import { queue } from '../../../../support/fixture-assembly.ts';
import { startFixtureCloud } from '../../../../support/fixture-cloud.ts';
import { lines, start } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const PROJECT = join(import.meta.dirname, '../../../../..');
const HANDLER = 'functions/consumers/member-change/handler.ts';
const HANDLED = /^\S+ {4}member-change +id=/m;

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> };
type Script = { url: string; sourceMapURL: string };
type Paused = {
  callFrames: { callFrameId: string; url: string; location: { lineNumber: number; columnNumber: number } }[];
};

/** A client of the protocol. `pauses` and `scripts` have those so far. */
async function attach(address: string) {
  const socket = new WebSocket(address);
  onTestFinished(() => socket.close());
  await once(socket, 'open');
  const answers = new Map<number, (result: Record<string, unknown>) => void>();
  const pauses: Paused[] = [];
  const scripts: Script[] = [];
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result = {} } = JSON.parse(String(data)) as Message;
    if (id !== undefined) answers.get(id)?.(result);
    if (method === 'Debugger.scriptParsed') scripts.push(params as Script);
    if (method === 'Debugger.paused') pauses.push(params as Paused);
  });
  const send = async (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    last += 1;
    answers.set(last, resolve);
    socket.send(JSON.stringify({ id: last, method, params }));
    return await promise;
  };
  return { send, pauses, scripts, socket };
}

async function sourceMapOf(url: string): Promise<SourceMap> {
  return new SourceMap(JSON.parse(await readFile(`${new URL(url).pathname}.map`, 'utf8')) as SourceMapPayload);
}

/** Where a line of a source is in the bundle, as a debugger finds it in the source map. Lines begin at 0. */
async function placeInBundle(
  url: string,
  source: string,
  line: number,
): Promise<{ lineNumber: number; columnNumber: number }> {
  const map = await sourceMapOf(url);
  // Not minified, each statement has a line of its own.
  const columns = (await readFile(new URL(url), 'utf8')).split('\n').map((text) => Math.max(0, text.search(/\S/)));
  for (const [lineNumber, columnNumber] of columns.entries()) {
    const entry = map.findEntry(lineNumber, columnNumber);
    if ('originalSource' in entry && entry.originalLine === line && entry.originalSource.endsWith(source))
      return { lineNumber, columnNumber };
  }
  throw new Error(`The bundle has nothing of line ${line + 1} of ${source}.`);
}

const isBundle = ({ url, sourceMapURL }: Script): boolean => url.endsWith('/index.js') && sourceMapURL !== '';

const addressIn = (text: string): string => /ws:\/\/127\.0\.0\.1:\S+/.exec(text)?.[0] ?? '';

describe('npm start --inspect', () => {
  test('holds at a breakpoint of the TypeScript source with its names, and the delivery succeeds afterwards', async () => {
    const state = join(await temporaryFolder(), 'state');
    const options = ['--state', state, '--minute', '2s', '--activity', '0', '--consumers'];
    const run = start([...options, '--inspect', 'member-change:0']);
    await until(() => /^\d\d:\d\d:\d\d {2}inspector {2}ws:\S+ {2}member-change waits/m.test(run.out()));
    const { send, pauses, scripts } = await attach(addressIn(run.out()));
    const source = await readFile(join(PROJECT, HANDLER), 'utf8');
    const line = source.split('\n').findIndex((text) => text.includes('console.info('));

    await send('Debugger.enable');
    await send('Runtime.runIfWaitingForDebugger');
    await until(() => scripts.some(isBundle));
    const { url = '' } = scripts.find(isBundle) ?? {};
    await send('Debugger.setBreakpointByUrl', { url, ...(await placeInBundle(url, HANDLER, line)) });
    await until(() => run.out().includes('Ctrl-C stops'));
    const change = async () => await askRun(findRun(state), 'trigger', { name: 'ContactUpdated' });
    await change();

    await until(() => pauses.length > 0);
    const { callFrameId, location } = pauses[0]?.callFrames[0] ?? {};
    const { lineNumber = 0, columnNumber = 0 } = location ?? {};
    const at = (await sourceMapOf(url)).findEntry(lineNumber, columnNumber);
    expect(at).toMatchObject({ originalLine: line, originalSource: expect.stringMatching(`${HANDLER}$`) });
    const named = await send('Debugger.evaluateOnCallFrame', { callFrameId, expression: 'typeof metadata' });
    expect(named).toMatchObject({ result: { value: 'object' } });
    expect(run.out()).not.toContain('For help, see');
    await change();
    expect(run.out()).not.toMatch(HANDLED);
    await send('Debugger.disable');
    await until(() => lines(run.out()).filter((text) => HANDLED.test(text)).length === 2);
    expect(run.out()).not.toContain('failed');
  }, 400_000);

  const HOLDS = `exports.handler = async (event, context) => {
    const before = context.getRemainingTimeInMillis();
    debugger;
    console.log(JSON.stringify({ done: event.Records?.length ?? 'one', left: before - context.getRemainingTimeInMillis() }));
    return process.pid;
  };`;

  test('stops every time limit while it holds a function, and lets what is for it wait', async () => {
    const output: string[] = [];
    const cloud = await startFixtureCloud(
      { held: { code: HOLDS, timeoutSeconds: 2 } },
      {
        inspect: { functionName: 'Fixture-held', port: 0 },
        onOutput: (text) => output.push(text),
        resources: {
          Queue: queue('waiting', { VisibilityTimeout: 1 }),
          Mapping: {
            Type: 'AWS::Lambda::EventSourceMapping',
            Properties: { EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] }, FunctionName: 'Fixture-held:live' },
          },
        },
      },
    );
    const done = () => output.filter((text) => text.startsWith('{"done"')).map((text) => JSON.parse(text) as object);
    await until(() => addressIn(output.join('\n')) !== '');
    const { send, pauses, socket } = await attach(addressIn(output.join('\n')));
    await send('Debugger.enable');
    await send('Runtime.runIfWaitingForDebugger');
    cloud.services.sqs.resources.send(cloud.definitions.queues[0]?.arn ?? '', '{}');
    await until(() => pauses.length === 1);

    const next = cloud.invoke('acme');
    cloud.startTicks(100);
    await sleep(3_000);
    expect([pauses.length, done()]).toEqual([1, []]);
    expect(cloud.services.lambda.resources.pids()).toHaveLength(1);
    await send('Debugger.disable');
    expect(await next).toMatchObject({ result: cloud.services.lambda.resources.pids()[0] });
    await cloud.stopTicks();

    expect(done()).toContainEqual({ done: 1, left: expect.any(Number) });
    const [first] = done() as [{ left: number }];
    expect(first.left).toBeLessThan(1_500);
    expect(cloud.services.sqs.resources.depth('waiting')).toBe(0);
    expect(done().filter((one) => 'done' in one && one.done === 1)).toHaveLength(1);
    socket.close();
  });
});
