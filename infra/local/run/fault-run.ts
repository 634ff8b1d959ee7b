// Simulates the planned faults. When one ends, it also does what an operator would do.
import type { FailureHook } from '../cloud/cloud.ts';
import type { FaultName, PlannedFault } from './fault-plan.ts';

/** What faults and the simulated operator act on. */
export type FaultyWorld = {
  service: { faults: { unavailable: boolean; refuseLogin: boolean; refuseTokens: boolean } };
  /** Writes the right credentials into the secret, as a new version. */
  writeSecret: () => void;
  /** Makes every invocation by a rule fail, or succeed again. */
  failConsumers: (doFail: boolean) => void;
  /** Empties the consumers' dead-letter queues and returns the number of purged messages. */
  purgeDeadLetters: () => number;
};

export type FaultRun = {
  /** Ends running faults now, and starts no others. */
  end: () => void;
};

/** Start and end of a fault. Each returns a line that says what happens. */
type Fault = { begin: (world: FaultyWorld) => string; end: (world: FaultyWorld) => string };

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  'service-down': {
    begin: ({ service }) => {
      service.faults.unavailable = true;
      return 'the membership service answers 503 to everything';
    },
    end: ({ service }) => {
      service.faults.unavailable = false;
      return 'the membership service answers again; the operator has nothing to do';
    },
  },
  'login-refused': {
    begin: ({ service }) => {
      // Otherwise a token in memory would work for another hour.
      Object.assign(service.faults, { refuseLogin: true, refuseTokens: true });
      return 'the membership service refuses the password, and the tokens that were issued for it';
    },
    end: ({ service, writeSecret }) => {
      Object.assign(service.faults, { refuseLogin: false, refuseTokens: false });
      writeSecret();
      return 'the operator writes the right credentials into the secret, as a new version';
    },
  },
  'consumers-fail': {
    begin: ({ failConsumers }) => {
      failConsumers(true);
      return 'every invocation of a consumer fails';
    },
    end: ({ failConsumers, purgeDeadLetters }) => {
      failConsumers(false);
      return `consumers work again; the operator looks at the dead letters and purges them (${purgeDeadLetters()})`;
    },
  },
};

/** Starts the clock of the plan. `say` gets a line for each start and each end. */
export function playFaults(plan: readonly PlannedFault[], world: FaultyWorld, say: (line: string) => void): FaultRun {
  const begun = new Set<PlannedFault>();
  const timers: NodeJS.Timeout[] = [];
  const begin = (fault: PlannedFault): void => {
    begun.add(fault);
    say(faultLine(fault.name, 'begins', FAULTS[fault.name].begin(world)));
  };
  const end = (fault: PlannedFault): void => {
    begun.delete(fault);
    say(faultLine(fault.name, 'ends', FAULTS[fault.name].end(world)));
  };
  for (const fault of plan)
    timers.push(setTimeout(begin, fault.fromMs, fault).unref(), setTimeout(end, fault.toMs, fault).unref());
  return {
    end: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const fault of begun) end(fault);
    },
  };
}

/** The hook that makes invocations by rules fail, and its switch. */
export function createConsumerFault(): { failInvocation: FailureHook; failConsumers: FaultyWorld['failConsumers'] } {
  let isOn = false;
  const error = { errorType: 'Error', errorMessage: 'The fault consumers-fail was asked for.' };
  return {
    failInvocation: (_functionName, trigger) => (isOn && trigger === 'event' ? error : null),
    failConsumers: (doFail) => {
      isOn = doFail;
    },
  };
}

function faultLine(name: FaultName, moment: 'begins' | 'ends', what: string): string {
  return `${'fault'.padEnd(21)} ${name} ${moment}: ${what}.`;
}
