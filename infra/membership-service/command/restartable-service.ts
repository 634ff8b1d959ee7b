// The service of the command: it may begin anew as another personality, at the same address.
import { Problem } from '../../../functions/shared/problem.ts';
import type { CommandOptions } from './command-options.ts';
import type { PersonalityName } from '../personality/personalities.ts';
import { startMembershipService, type MembershipService } from '../service.ts';

export type RestartableService = {
  /** The one that answers now. */
  current(): MembershipService;
  /**
   * Begins anew with the same seed, faults and address: same organisation, users and passwords; what was written since is gone and every token void. Rejects
   * with a Problem where there is a state file, whose entries are already named as one personality names them.
   */
  become(personality: PersonalityName): Promise<void>;
  close(): Promise<void>;
};

/** What the organisation did before the service began. */
const HISTORY = { entries: 2_000, days: 90 };

/** Starts the service and its people. Rejects as `startMembershipService` does. */
export async function startRestartable(
  options: CommandOptions & { personality: PersonalityName },
): Promise<RestartableService> {
  const { personality, port, faults, perMinute } = options;
  const begin = async (as: PersonalityName, at: number, withFaults = faults): Promise<MembershipService> => {
    const kept = { ...(options.seed === null ? {} : { seed: options.seed }), ...stateFile(options) };
    const service = await startMembershipService({ ...kept, port: at, personality: as, history: HISTORY });
    service.faults = withFaults;
    service.startActivity({ perMinute });
    return service;
  };
  let current = await begin(personality, port);
  const change = async (to: PersonalityName): Promise<void> => {
    if (options.state !== null) throw new Problem(`${options.state} is about one personality. ${OTHER_STATE}`);
    const before = current;
    await before.close();
    current = await begin(to, Number(new URL(before.url).port), before.faults);
  };
  let changes: Promise<unknown> = Promise.resolve();
  return {
    current: () => current,
    become: async (to) => {
      // One after another, so that two never fight for the port.
      const changed = changes.then(async () => await change(to));
      changes = changed.catch(() => null);
      await changed;
    },
    close: async () => await changes.then(async () => await current.close()),
  };
}

const OTHER_STATE = 'Start with another --state, or without one.';

function stateFile({ state }: CommandOptions): { stateFile?: string } {
  return state === null ? {} : { stateFile: state };
}
