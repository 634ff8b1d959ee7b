// What a run learned about a real service, as lines: facts as sentences, and the action keys it uses.
import { changesNothing, toWords as toKeyWords } from '../../../functions/events/action-words.ts';
import type { StampForm } from '../../../functions/membership/timestamps.ts';
import type { ServiceProfile } from '../../../functions/source/service-profile.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { entryMetadata } from '../events/entry-metadata.ts';

type AcceptedEvent = { source: string; detailType: string; detail: unknown };

/** A sentence for each fact of the state. What nobody has to know, or what is as usual, is left out. */
export function factLines(profile: ServiceProfile): string[] {
  const facts = [...pagingFacts(profile), ...stampFacts(profile), ...filterFacts(profile), ...sizeFacts(profile)];
  return ['Learned about the service:', ...facts.filter((fact) => fact !== '').map((fact) => `  ${printable(fact)}`)];
}

function pagingFacts({ continuation }: ServiceProfile): string[] {
  const { place, endsWalks, noProgressEnds, stuckWalks } = continuation;
  const end = endsWalks ? 'The last page of a walk names no next one.' : 'No last page was recognised by itself yet.';
  return [
    place === null ? 'No page named a next one yet.' : `A page names the next one at ${place}.`,
    place === null ? '' : end,
    noProgressEnds === 0 ? '' : `${noProgressEnds} walks ended after pages that brought nothing new.`,
    stuckWalks === 0 ? '' : `The last ${stuckWalks} walks made no progress.`,
  ];
}

const FORMS: Readonly<Record<StampForm, string>> = {
  utc: 'in UTC',
  offset: 'with an offset',
  wall: 'as local time without an offset',
  unix: 'as seconds since 1970',
};

function stampFacts({ fields, stamps }: ServiceProfile): string[] {
  const { form, fractionDigits, zoneShift, someMissing } = stamps;
  const written = form === null ? '' : `, ${FORMS[form]}`;
  const digits = fractionDigits === 0 ? 'no fraction' : `${fractionDigits} digits of a fraction`;
  return [
    fields.time === null
      ? 'No entry was seen yet that shows where its time is.'
      : `The time of an entry is at ${fields.time}${written}.`,
    form === null ? '' : `Times have ${digits} of a second.`,
    form === 'wall' ? zoneText(zoneShift) : '',
    someMissing ? 'Some entries have no usable time.' : '',
  ];
}

function zoneText({ quarters, count }: ServiceProfile['stamps']['zoneShift']): string {
  if (count === 0) return 'Nothing shows yet whether timeZone is right.';
  if (quarters === 0) return 'Times agree with timeZone.';
  return `Times are ${Math.abs(quarters) * 15} minutes ${quarters < 0 ? 'behind' : 'ahead of'} timeZone.`;
}

function filterFacts({ filters }: ServiceProfile): string[] {
  const { form, startInclusive, endInclusive, ignoresStart } = filters;
  const bound = (name: string, isInclusive: boolean | null): string =>
    isInclusive === null ? '' : `${name} ${isInclusive ? 'includes' : 'leaves out'} the entries of exactly that time.`;
  return [
    form === null ? '' : `Dates in requests are accepted ${FORMS[form]}.`,
    bound('startDate', startInclusive),
    bound('endDate', endInclusive),
    ignoresStart ? 'startDate does not keep older entries away.' : '',
  ];
}

function sizeFacts({ pages }: ServiceProfile): string[] {
  const { size, longest, longestAtMaxSize } = pages;
  const isAsked = size === null || size.requested === size.accepted;
  const accepted = isAsked ? 'Pages' : `Pages of ${size.requested} entries are refused, and pages`;
  return [
    size === null ? '' : `${accepted} of ${size.accepted}${isAsked ? ' entries' : ''} are accepted.`,
    longest === null ? '' : `The longest page had ${longest.entries} of ${longest.pageSize} entries.`,
    longestAtMaxSize === 0 ? '' : `The longest page of the largest size had ${longestAtMaxSize} entries.`,
  ];
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
  const others = byKey.filter(([key, found]) => !changesNothing(toKeyWords(key)) && found.some(isOther));
  return [
    'Action keys:',
    ...rows,
    others.length === 0
      ? noneFellThrough(byKey.some(([, found]) => found.some(isOther)))
      : `Fell through to OtherActionLogged: ${others.map(([key]) => printable(key)).join(', ')}. The setting "detailTypes" can name a type for them.`,
  ];
}

function isOther({ detailType }: { detailType: string }): boolean {
  return detailType === 'OtherActionLogged';
}

function noneFellThrough(hasOthers: boolean): string {
  return hasOthers
    ? 'Only logins, reads and exports are OtherActionLogged, as they always are.'
    : 'None fell through to OtherActionLogged.';
}
