// What a run learned about a real service, as lines: facts, and the action keys it uses.
import { changesNothing, toWords as toKeyWords } from '../../../functions/events/action-words.ts';
import type { ServiceProfile } from '../../../functions/source/service-profile.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { entryMetadata } from '../events/entry-metadata.ts';

type AcceptedEvent = { source: string; detailType: string; detail: unknown };

/** One line per fact, as the state has it. */
export function factLines(profile: ServiceProfile): string[] {
  const facts = Object.entries(profile).flatMap(([group, members]) =>
    Object.entries(members).map(([name, value]) => `  ${`${group}: ${toWords(name)}`.padEnd(32)} ${factText(value)}`),
  );
  return ['Learned about the service:', ...facts];
}

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
    return `  ${String(found.length).padStart(7)}  ${printable(key).padEnd(36)} ${types}`;
  });
  // Logins, reads and exports always have this type, which no setting changes.
  const others = byKey.filter(
    ([key, found]) =>
      !changesNothing(toKeyWords(key)) && found.some(({ detailType }) => detailType === 'OtherActionLogged'),
  );
  return [
    'Action keys:',
    ...rows,
    others.length === 0
      ? 'None fell through to OtherActionLogged.'
      : `Fell through to OtherActionLogged: ${others.map(([key]) => printable(key)).join(', ')}. The setting "detailTypes" can name a type for them.`,
  ];
}

/** `startInclusive` becomes `start inclusive`. */
function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function factText(value: unknown): string {
  if (value === null) return 'not learned';
  if (isZoneShift(value)) return zoneText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

type ZoneShift = ServiceProfile['stamps']['zoneShift'];

function isZoneShift(value: unknown): value is ZoneShift {
  return typeof value === 'object' && value !== null && 'quarters' in value;
}

function zoneText({ quarters, count }: ZoneShift): string {
  if (count === 0) return 'not learned';
  if (quarters === 0) return 'none';
  return `${Math.abs(quarters) * 15} minutes ${quarters < 0 ? 'behind' : 'ahead'}`;
}
