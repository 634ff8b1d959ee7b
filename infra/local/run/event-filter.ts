// Which events are shown: by detail type and by action key, with wildcards.
import { DETAIL_TYPES, NOTICE_TYPES } from '../../../functions/events/event.ts';
import { isMadeOf } from '../../../functions/shared/text-parts.ts';
import { entryMetadata } from '../events/entry-metadata.ts';
import { didYouMean } from '../../shared/near-names.ts';
import { TRIGGERED_KEYS } from '../trigger/trigger-action.ts';

/** Names with `*` for any text. Their case does not matter. */
export type EventFilter = readonly string[];

/** Names between commas. Throws a RangeError that completes a line which begins with the option as written. */
export function readEventFilter(text: string): EventFilter {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new RangeError("has nothing between two commas; write names such as 'MemberChanged,Payment*'.");
  return names;
}

/** Whether a name of the filter matches the event's detail type or its action key. */
export function isShown(filter: EventFilter, event: { source: string; detailType: string; detail: unknown }): boolean {
  const actionKey = entryMetadata(event)?.['actionKey'];
  return [event.detailType, actionKey].some(
    (text) => typeof text === 'string' && filter.some((name) => matches(name, text)),
  );
}

/** What is shown, and each name that matches nothing known: a real service may have other action keys. */
export function filterLines(filter: EventFilter): string[] {
  const known = [...DETAIL_TYPES, ...NOTICE_TYPES, ...TRIGGERED_KEYS];
  const unknown = filter.filter((name) => !known.some((text) => matches(name, text)));
  return [
    `Only these events are shown: ${filter.join(', ')}. events.ndjson in the state folder has all.`,
    ...unknown.map(
      (name) =>
        `--events ${name} matches no detail type and no known action key.${didYouMean(name.replaceAll('*', ''), known)}`,
    ),
  ];
}

function matches(name: string, text: string): boolean {
  return isMadeOf(name.toLowerCase().split('*'), text.toLowerCase());
}
