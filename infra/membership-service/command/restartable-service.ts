// The service of the command, which can restart as another personality at the same address.
import { Problem } from '../../../functions/shared/problem.ts';
import type { CommandOptions } from './command-options.ts';
import type { PersonalityName } from '../personality/personalities.ts';
import { startMembershipService, type MembershipService } from '../service.ts';

export type RestartableService = {
  /** The running service. */
  current(): MembershipService;
  /**
   * Restarts with the same seed, faults and address. Entries written since are lost, and tokens become invalid. Rejects
   * with a Problem if there is a state file, because its entries are named by one personality.
   */
  become(personality: PersonalityName): Promise<void>;
  close(): Promise<void>;
};

/** What happened in the organisation before the service started. */
const HISTORY = { entries: 2_000, days: 90 };

/** Starts the service and its activity. Rejects as `startMembershipService` does. */
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
    if (options.state !== null) throw new Problem(`${options.state} belongs to one personality. ${OTHER_STATE}`);
    const before = current;
    await before.close();
    current = await begin(to, Number(new URL(before.url).port), before.faults);
  };
  let changes: Promise<unknown> = Promise.resolve();
  return {
    current: () => current,
    become: async (to) => {
      // One after the other, so that two never compete for the port.
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
