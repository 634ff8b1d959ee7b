// What a run learned about a real service, as lines: facts as sentences, and the action keys it uses.
import { changesNothing, toWords as toKeyWords } from '../../../functions/events/action-words.ts';
import type { ServiceProfile } from '../../../functions/source/service-profile.ts';
import { factsOf } from '../../../functions/source/profile-facts.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { entryMetadata } from '../events/entry-metadata.ts';

type AcceptedEvent = { source: string; detailType: string; detail: unknown };

/** A sentence for each fact of the state. What nobody has to know, or what is as usual, is left out. */
export function factLines(profile: ServiceProfile): string[] {
  return ['Learned about the service:', ...factsOf(profile).map(({ text }) => `  ${printable(text)}`)];
}

/** Longer than any real one. */
const MAX_KEY = 64;

/** A table of action keys, the most frequent first, and a line with those that have no detail type of their own. */
export function actionKeyLines(events: Iterable<AcceptedEvent>): string[] {
  const own = Iterator.from(events).flatMap((event) => {
    const metadata = entryMetadata(event);
    if (metadata === null) return [];
    const { actionKey } = metadata;
    return [{ detailType: event.detailType, actionKey: typeof actionKey === 'string' ? actionKey : '(none)' }];
  });
  const byKey = [...Map.groupBy(own, ({ actionKey }) => actionKey)].toSorted(
    ([, left], [, right]) => right.length - left.length,
  );
  if (byKey.length === 0) return ['Action keys: no event was published, so none was seen.'];
  const rows = byKey.map(([key, found]) => {
    const types = printable([...new Set(found.map(({ detailType }) => detailType))].join(', '));
    return `  ${String(found.length).padStart(7)}  ${shown(key).padEnd(36)} ${types}`;
  });
  // Logins, reads and exports always have this type, which no setting changes.
  const others = byKey.filter(([key, found]) => !changesNothing(toKeyWords(key)) && found.some(isOther));
  return [
    'Action keys:',
    ...rows,
    others.length === 0
      ? noneFellThrough(byKey.some(([, found]) => found.some(isOther)))
      : `Fell through to OtherActionLogged: ${others.map(([key]) => shown(key)).join(', ')}. The setting "detailTypes" can name a type for them.`,
  ];
}

/** A service may write anything there. */
function shown(key: string): string {
  const text = printable(key);
  return text.length > MAX_KEY ? `${text.slice(0, MAX_KEY - 1)}…` : text;
}

function isOther({ detailType }: { detailType: string }): boolean {
  return detailType === 'OtherActionLogged';
}

function noneFellThrough(hasOthers: boolean): string {
  return hasOthers
    ? 'Only logins, reads and exports are OtherActionLogged, as they always are.'
    : 'None fell through to OtherActionLogged.';
}
