// The pages of a service whose walks through what is old now and then end too early, wherever they are (S86).
import type { Page, PageReader } from '../../../infra/membership-service/action-log/page.ts';
import { createChance } from '../chance.ts';
import type { Net } from '../traits/net.ts';
import { readDated } from './one-wrong-page.ts';

/** `isMidWalk`: the page has a next one. Each such page of what is old draws by itself. */
export function withEarlyEnds(
  read: PageReader,
  { earlyEnds }: Pick<Net, 'earlyEnds'>,
  { seed, isMidWalk }: { seed: number; isMidWalk: (page: Page) => boolean },
): PageReader {
  if (earlyEnds === 0) return read;
  let pages = 0;
  return (query, now) => {
    const { page, isOld } = readDated(read, query, now);
    if (page.json.length === 0 || !isOld || !isMidWalk(page)) return page;
    pages += 1;
    return createChance(seed, `early end ${pages}`).happens(earlyEnds) ? { ...page, continuation: null } : page;
  };
}
