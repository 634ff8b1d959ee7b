// In which direction a walk goes through the log: a service may show the entries of a page in another order. Pure.
import { basePage, continuationFacts } from './continuation.ts';
import type { Met, MetPage } from './met.ts';
import { once } from './once.ts';
import { placesOf, sideOf } from './order.ts';

/** By what a longer page, or the next one, has beyond a shorter one. Null while nothing shows it. */
export const directionOf = once((met: Met): 'descending' | 'ascending' | null => {
  const { works } = continuationFacts(met);
  const page = (name: string): MetPage | null => met.pages.find((one) => one.name === name) ?? null;
  const next =
    works === null ? null : (met.pages.find(({ query }) => query.requestContinuation === works.value) ?? null);
  const pairs: (readonly [MetPage | null, MetPage | null])[] = [
    [basePage(met), next],
    [page('small'), page('first')],
    [page('first'), page('largest')],
  ];
  const sides = pairs.flatMap(([shorter, longer]) =>
    shorter === null || longer === null ? [] : (beyond(shorter, longer) ?? []),
  );
  return sides.length > 0 && new Set(sides).size === 1 ? (sides[0] ?? null) : null;
});

function beyond(shorter: MetPage, longer: MetPage): 'descending' | 'ascending' | null {
  const known = new Set(shorter.entries.map(({ id }) => id));
  const places = placesOf(longer.entries.filter(({ id }) => !known.has(id)));
  return sideOf(places, placesOf(shorter.entries));
}
