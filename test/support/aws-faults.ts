// Faults between the functions and AWS: lost answers, refused calls, failed entries, processes killed between calls.
import type { Answer, Call } from '../../infra/local/platform/aws-call.ts';
import type { Intercept } from '../../infra/local/cloud/endpoint.ts';

/** `service.operation`, for example "eventbridge.PutEvents" or "dynamodb.UpdateItem"; "*" for every call. */
export type CallName = string;

type Handling = (call: Call, proceed: (body?: string) => Promise<Answer>) => Promise<Answer | 'drop'>;
/** A fault handles a call or leaves it to the next fault. */
type Fault = { name: CallName; skip: number; times: number; handle: Handling };

type Which = {
  /** The number of affected calls; 1 by default, Infinity for all. */
  times?: number;
  /** The number of calls to skip first. */
  skip?: number;
};

type Entry = { Detail: string; DetailType: string };

export type AwsFaults = {
  intercept: Intercept;
  /** The call is made, but its answer is lost. */
  loseAnswer: (name: CallName, which?: Which) => void;
  /** The call never arrives. */
  loseCall: (name: CallName, which?: Which) => void;
  /** The answer is an error of AWS, with status 400 by default. */
  refuse: (name: CallName, error: { type: string; message?: string; status?: number }, which?: Which) => void;
  /** This is the answer, without making the call. */
  answer: (name: CallName, answer: Answer, which?: Which) => void;
  /** The call arrives with another body. */
  rewrite: (name: CallName, change: (body: string) => string, which?: Which) => void;
  /** PutEvents: the matching entries fail with `code`, the others are accepted. */
  failEntries: (test: (entry: Entry, index: number) => boolean, code: string, which?: Which) => void;
  /** The call waits until `resume`; `reached` resolves when it waits. */
  pause: (name: CallName, which?: Which) => { reached: Promise<void>; resume: () => void };
  /** `act` runs before or after the call, for example to kill the processes or move a clock. */
  act: (name: CallName, when: 'before' | 'after', act: (call: Call) => unknown, which?: Which) => void;
  /** From now on calls lose their answers, and entries of PutEvents fail, with these probabilities. */
  byChance: (shares: { loseAnswer: number; failEntry: number }, random: () => number) => void;
  /** Removes all faults. */
  clear: () => void;
};

/** Faults apply in the order of their creation. The first one that matches handles the call. */
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

/** Forwards the entries that do not fail, and inserts the failures into the answer. */
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
