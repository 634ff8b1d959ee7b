// Faults between the functions and AWS: answers lost, calls refused, entries failed, processes killed between any two
// calls.
import type { Answer, Call, Intercept } from '../../infra/local/cloud/cloud.ts';

/**
 * `service.operation`, such as "eventbridge.PutEvents", "dynamodb.UpdateItem", "secretsmanager.GetSecretValue"; "*" for
 * every call.
 */
export type CallName = string;

type Handling = (call: Call, proceed: (body?: string) => Promise<Answer>) => Promise<Answer | 'drop'>;
/** A fault takes a call or leaves it to the next. */
type Fault = { name: CallName; skip: number; times: number; handle: Handling };

type Which = {
  /** How many calls it hits; 1 without it, Infinity for all. */
  times?: number;
  /** How many calls it lets pass first. */
  skip?: number;
};

type Entry = { Detail: string; DetailType: string };

export type AwsFaults = {
  intercept: Intercept;
  /** The work is done and its answer never comes. */
  loseAnswer: (name: CallName, which?: Which) => void;
  /** The call never arrives. */
  loseCall: (name: CallName, which?: Which) => void;
  /** Answered with an error of AWS, 400 unless `status` says otherwise. */
  refuse: (name: CallName, error: { type: string; message?: string; status?: number }, which?: Which) => void;
  /** Answered so, without the work. */
  answer: (name: CallName, answer: Answer, which?: Which) => void;
  /** The call arrives with another body. */
  rewrite: (name: CallName, change: (body: string) => string, which?: Which) => void;
  /** PutEvents: those entries fail, each with `code`; the others are accepted. */
  failEntries: (test: (entry: Entry, index: number) => boolean, code: string, which?: Which) => void;
  /** The call waits, before it is done, until `resume`; `reached` resolves when it waits. */
  pause: (name: CallName, which?: Which) => { reached: Promise<void>; resume: () => void };
  /** `act` runs before or after the work of the call: kill the processes, move a clock, take a lease. */
  act: (name: CallName, when: 'before' | 'after', act: (call: Call) => unknown, which?: Which) => void;
  /** From now on each call may lose its answer, and each entry of a PutEvents may fail; shares from 0 to 1. */
  byChance: (shares: { loseAnswer: number; failEntry: number }, random: () => number) => void;
  /** No faults any more. */
  clear: () => void;
};

/** Faults are tried in the order in which they were made; the first that hits takes the call. */
export function createAwsFaults(): AwsFaults {
  let faults: Fault[] = [];
  const add = (name: CallName, { times = 1, skip = 0 }: Which = {}, handle: Handling): void => {
    faults.push({ name, times, skip, handle });
  };
  return {
    intercept: async (call, proceed) => {
      const fault = takeFault(faults, `${call.service}.${call.operation}`);
      return fault === undefined ? await proceed() : await fault.handle(call, proceed);
    },
    loseAnswer: (name, which) =>
      add(name, which, async (_call, proceed) => {
        await proceed();
        return 'drop';
      }),
    loseCall: (name, which) => add(name, which, async () => 'drop'),
    refuse: (name, { type, message = type, status = 400 }, which) =>
      add(name, which, async () => ({ status, body: JSON.stringify({ __type: type, message }) })),
    answer: (name, answer, which) => add(name, which, async () => answer),
    rewrite: (name, change, which) => add(name, which, async ({ body }, proceed) => await proceed(change(body))),
    failEntries: (test, code, which) =>
      add('eventbridge.PutEvents', which, async ({ body }, proceed) => await failSome(body, proceed, test, code)),
    pause: (name, which) => {
      const reached = Promise.withResolvers<void>();
      const resumed = Promise.withResolvers<void>();
      add(name, which, async (_call, proceed) => {
        reached.resolve();
        await resumed.promise;
        return await proceed();
      });
      return { reached: reached.promise, resume: resumed.resolve };
    },
    act: (name, when, act, which) =>
      add(name, which, async (call, proceed) => {
        if (when === 'before') await act(call);
        const answer = await proceed();
        if (when === 'after') await act(call);
        return answer;
      }),
    byChance: ({ loseAnswer, failEntry }, random) => {
      const isLost = (): boolean => random() < loseAnswer;
      add('eventbridge.PutEvents', { times: Infinity }, async ({ body }, proceed) => {
        const answer = await failSome(body, proceed, () => random() < failEntry, 'InternalFailure');
        return isLost() ? 'drop' : answer;
      });
      add('*', { times: Infinity }, async (_call, proceed) => {
        const answer = await proceed();
        return isLost() ? 'drop' : answer;
      });
    },
    clear: () => {
      faults = [];
    },
  };
}

function takeFault(faults: readonly Fault[], name: CallName): Fault | undefined {
  for (const fault of faults.filter((candidate) => [name, '*'].includes(candidate.name) && candidate.times > 0)) {
    if (fault.skip > 0) fault.skip -= 1;
    else {
      fault.times -= 1;
      return fault;
    }
  }
  return undefined;
}

type PutEventsOutput = { FailedEntryCount: number; Entries: object[] };

/** Hands on the entries that do not fail and puts the failures into their places. */
async function failSome(
  body: string,
  proceed: (body?: string) => Promise<Answer>,
  test: (entry: Entry, index: number) => boolean,
  code: string,
): Promise<Answer> {
  const request = JSON.parse(body) as { Entries: Entry[] };
  const fails = request.Entries.map(test);
  const others = request.Entries.filter((_entry, index) => !fails[index]);
  const failure = { ErrorCode: code, ErrorMessage: `Failed by a test: ${code}` };
  const done = others.length > 0 ? await proceed(JSON.stringify({ ...request, Entries: others })) : null;
  if (done !== null && done.status !== 200) return done;
  const accepted = done === null ? [] : (JSON.parse(done.body) as PutEventsOutput).Entries;
  const Entries = fails.map((isFailed) => (isFailed ? failure : (accepted.shift() ?? failure)));
  const FailedEntryCount = Entries.filter((entry) => 'ErrorCode' in entry).length;
  return { status: 200, body: JSON.stringify({ FailedEntryCount, Entries } satisfies PutEventsOutput) };
}
