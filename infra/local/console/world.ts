// What the console shows and acts on: the parts of a run.
import type { MembershipService } from '../../membership-service/service.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { RunningFunction } from '../cloud/running-functions.ts';
import type { FaultSwitch } from '../faults/fault-run.ts';
import type { offeredBy } from '../trigger/offer.ts';
import type { TriggerWorld } from '../trigger/trigger-action.ts';
import type { Feed } from './feed.ts';
import type { RunFacts } from './messages.ts';

export type ConsoleWorld = {
  cloud: LocalCloud;
  functions: readonly RunningFunction[];
  feed: Feed;
  facts: Omit<RunFacts, 'consumers'>;
  /** Null where the run polls a real service. */
  local: { service: MembershipService; client: TriggerWorld['client']; faults: FaultSwitch } | null;
  /** Where its audit copy is forwarded to; null for nowhere. */
  forward: { name: string; url: string } | null;
  /** The destination of the run; null where nothing is sent. */
  webhook: { name: string; url: string; secret: string } | null;
  /** What `npm run trigger` may ask of this run. */
  offered: ReturnType<typeof offeredBy>;
};

/** For the pages: settings hold more than they show. */
export function factsOf({ facts, functions }: Pick<ConsoleWorld, 'facts' | 'functions'>): RunFacts {
  const { sources, personality, minuteMs, pollMs } = facts;
  return {
    sources: sources.map(({ sourceId, baseUrl }) => ({ sourceId, baseUrl })),
    consumers: functions
      .filter(({ kind }) => kind === 'consumer')
      .map(({ name, shortName, listensTo }) => ({ name: shortName, functionName: name, listensTo })),
    personality,
    minuteMs,
    pollMs,
  };
}
