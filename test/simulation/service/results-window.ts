// The pages of a service that shows only the first entries of what a walk asks for (S84), or nothing for a while (S87).
import type { ActionLog } from '../../../infra/membership-service/action-log/action-log.ts';
import type { LoggedEntry } from '../../../infra/membership-service/action-log/entries.ts';
import { stretchOf, take } from '../../../infra/membership-service/action-log/entry-order.ts';
import type { PageReader } from '../../../infra/membership-service/action-log/page.ts';
import type { Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Net } from '../traits/net.ts';

/** Beyond its first entries, in its order, a query has no more. A narrower one shows others. */
export function withResultsWindow(
  read: PageReader,
  { results }: Pick<Net, 'results'>,
  { log, personality }: { log: ActionLog; personality: Pick<Personality, 'order'> },
): PageReader {
  if (results === null) return read;
  return (query, now) => {
    const stretch = stretchOf(log.around(query.about), query.range, personality.order === 'descending' ? -1 : 1);
    const accepts = (entry: LoggedEntry): boolean => entry.visibleAt <= now && query.accepts(entry);
    const { taken } = take(stretch, { after: null, inclusive: false, limit: results, accepts });
    const first = new Set(taken.map(({ entry }) => entry));
    return read({ ...query, accepts: (entry) => first.has(entry) }, now);
  };
}

/** All walks end at once until `shownFrom`, as if the log were empty. */
export function withEmptyStart(read: PageReader, shownFrom: number): PageReader {
  return (query, now) => read(now < shownFrom ? { ...query, accepts: () => false } : query, now);
}
