// Sources that another bridge of the account polls at the same address: after an environment was renamed, the former
// one polls on.
import { inParallel } from '../../shared/in-parallel.ts';
import { NotAllowed, Problem } from '../../shared/problem.ts';
import { scheduleGroupName } from '../../source/fixed-names.ts';
import type { BridgeSource } from '../bridge/bridge.ts';
import type { OperatorCloud } from '../bridge/ports.ts';
import { plainJsonIn } from '../../shared/plain-json.ts';

export type PolledTwice = { stack: string; sources: string[] };

const PARALLEL = 5;

/** `others` are the stacks of other bridges: one list for each, and the schedules with names of ours. */
export async function readPolledTwice(
  cloud: Pick<OperatorCloud, 'openSchedules'>,
  sources: readonly BridgeSource[],
  others: readonly string[],
): Promise<PolledTwice[]> {
  const addresses = new Map(sources.map(({ sourceId, settings }) => [sourceId, addressIn(settings)]));
  const twice = await inParallel(others, PARALLEL, async (stack) => {
    const schedules = cloud.openSchedules(scheduleGroupName(stack));
    const listed = await schedules.list().catch(noneUnlessForbidden);
    const alike = listed.filter(({ sourceId, isEnabled }) => isEnabled && addresses.get(sourceId) != null);
    const read = await inParallel(alike, PARALLEL, async ({ sourceId }) => await schedules.read(sourceId));
    const same = read.filter((one) => {
      const input = (plainJsonIn(one?.input ?? '') ?? {}) as Readonly<Record<string, unknown>>;
      return one !== null && addressIn(input) === addresses.get(one.sourceId);
    });
    return { stack, sources: same.flatMap((one) => one?.sourceId ?? []) };
  });
  return twice.filter((one) => one.sources.length > 0);
}

/** Without its group, it is of an earlier version, or only looks like a bridge. */
function noneUnlessForbidden(error: unknown): [] {
  if (error instanceof Problem && !(error instanceof NotAllowed)) return [];
  throw error;
}

function addressIn({ baseUrl }: Readonly<Record<string, unknown>>): string | null {
  return URL.parse(String(baseUrl))?.href.replace(/\/$/, '') ?? null;
}
