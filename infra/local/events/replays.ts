// The archive of a local bus: it passes what the bus has ever accepted to rules once more.
// Source: the API reference of StartReplay; a replayed event has `replay-name` in its envelope.
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { Unsupported } from '../platform/unsupported.ts';

type Replay = { ReplayName: string; State: 'COMPLETED'; EventStartTime: number; EventEndTime: number };

/** `deliver` passes an event, as text, to the rules of these ARNs that match it. */
export function createReplays(
  events: () => Iterable<{ acceptedAt: number; text: string }>,
  deliver: (text: string, ruleArns: readonly string[]) => void,
): Record<string, Operation> {
  const replays = new Map<string, Replay>();
  return {
    StartReplay: (input) => {
      const { ReplayName, EventStartTime, EventEndTime, Destination } = input as Replay & {
        Destination: { FilterArns?: string[] };
      };
      if (replays.has(ReplayName))
        throw new AwsRefusal('ResourceAlreadyExistsException', `Replay ${ReplayName} already exists.`);
      const { FilterArns } = Destination;
      if (FilterArns === undefined) throw new Unsupported('a replay to every rule of a bus', 'events/replays.ts');
      for (const { acceptedAt, text } of events())
        if (acceptedAt >= EventStartTime * 1000 && acceptedAt < EventEndTime * 1000)
          deliver(`${text.slice(0, -1)},"replay-name":${JSON.stringify(ReplayName)}}`, FilterArns);
      replays.set(ReplayName, { ReplayName, State: 'COMPLETED', EventStartTime, EventEndTime });
      return { State: 'STARTING', ReplayStartTime: Date.now() / 1000 };
    },
    DescribeReplay: ({ ReplayName }) => {
      const replay = replays.get(String(ReplayName));
      if (replay === undefined)
        throw new AwsRefusal('ResourceNotFoundException', `Replay ${String(ReplayName)} does not exist.`);
      return replay;
    },
  };
}
