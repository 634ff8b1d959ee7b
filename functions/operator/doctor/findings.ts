// What the answers show, assumption by assumption. Pure. A finding without evidence is unknown.
import type { Login } from './exchange.ts';
import { clockFacts, type ClockFacts } from './facts/clock.ts';
import { continuationFacts, type ContinuationFacts } from './facts/continuation.ts';
import { fieldFacts, type FieldFacts, type Place } from './facts/fields.ts';
import { filterFacts, type BoundMode, type FilterFacts, type Reading } from './facts/filters.ts';
import { meet } from './facts/met.ts';
import { pageFacts, type PageFacts } from './facts/pages.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { Probing } from './probe.ts';
import { counted } from '../terminal/text-layout.ts';

/** `holds`: as the bridge assumes, or as it copes with by itself. `differs`: the advice has something to do. */
export type Verdict = 'holds' | 'differs' | 'unknown';

export type Finding = { assumption: string; about: string; verdict: Verdict; sentences: string[] };

export type Facts = {
  settings: SourceSettings;
  login: Login;
  continuation: ContinuationFacts;
  fields: FieldFacts;
  clock: ClockFacts;
  filters: FilterFacts;
  pages: PageFacts;
};

export function factsOf({ login, exchanges }: Pick<Probing, 'login' | 'exchanges'>, settings: SourceSettings): Facts {
  const met = meet(exchanges, settings);
  return {
    settings,
    login,
    continuation: continuationFacts(met),
    fields: fieldFacts(met),
    clock: clockFacts(met),
    filters: filterFacts(met),
    pages: pageFacts(met),
  };
}

type Said = Pick<Finding, 'verdict' | 'sentences'>;

/** One row for each assumption about the action log. */
const ROWS: readonly [assumption: string, about: string, say: (facts: Facts) => Said][] = [
  ['A1', 'place of the continuation', ({ continuation }) => place(continuation)],
  ['A2', 'end of a walk', ({ continuation }) => walkEnd(continuation)],
  ['A3', 'names of fields', ({ fields }) => names(fields)],
  ['A4', 'order', ({ pages }) => order(pages)],
  ['A5', 'life of a continuation', ({ continuation }) => life(continuation)],
  ['A6', 'bounds of a filter', ({ filters }) => bounds(filters)],
  ['A7', 'action keys', ({ fields }) => actionKeys(fields)],
  ['A8', 'stamps and time zones', ({ clock, filters, settings }) => stamps(clock, filters, settings)],
  ['A9', 'immutability', ({ fields }) => immutability(fields)],
  ['A10', 'lateness', () => unknown('Only days of polling show how late entries come: watch LateEntriesFound.')],
  ['A11', 'identity', ({ fields }) => identity(fields)],
  ['A12', 'no continuation at all', ({ continuation }) => noContinuation(continuation)],
  ['A13', 'page sizes', ({ pages }) => sizes(pages)],
  ['A14', 'rate limits', ({ pages }) => rates(pages)],
  ['A15', 'retention', ({ pages }) => retention(pages)],
  ['A16', 'scope by organisation', ({ fields, settings }) => organisations(fields, settings)],
  ['A17', 'scope by role', () => unknown('The user may read the log. What its role hides cannot be seen from here.')],
  ['A18', 'form of actionKeys', () => unknown('Not asked. Without the setting all entries are read.')],
  ['A19', 'statuses, error codes', ({ pages }) => statuses(pages)],
  ['A20', 'logins', ({ login }) => logins(login)],
  ['A21', 'lengths and sizes', ({ pages }) => lengths(pages)],
  ['A22', 'clocks', ({ clock }) => clocks(clock)],
  ['A31', 'one id, time and action', ({ fields }) => sameKeys(fields)],
];

export function findingsOf(facts: Facts): Finding[] {
  return ROWS.map(([assumption, about, say]) => {
    const { verdict, sentences } = say(facts);
    return { assumption, about, verdict, sentences: sentences.length === 0 ? ['Nothing showed it.'] : sentences };
  });
}

function holds(...sentences: string[]): Said {
  return { verdict: 'holds', sentences: sentences.filter((text) => text !== '') };
}

function differs(...sentences: string[]): Said {
  return { verdict: 'differs', sentences: sentences.filter((text) => text !== '') };
}

function unknown(...sentences: string[]): Said {
  return { verdict: 'unknown', sentences: sentences.filter((text) => text !== '') };
}

function place({ works, none, taken }: ContinuationFacts): Said {
  if (works?.from === 'bridge') return holds(`A page names the next one at ${works.place}, and that page came.`);
  if (works?.from === 'member')
    return differs(`The next page comes for the value at ${works.place}, which the bridge does not find by its name.`);
  if (works?.from === 'link')
    return differs(
      `The next page comes for a value inside of the address at ${works.place}. The bridge takes whole values only.`,
    );
  if (taken !== null)
    return taken.fails
      ? differs(`The bridge takes ${taken.place} for the continuation, and no next page came for it.`)
      : unknown(`A page has a continuation at ${taken.place}. Whether it leads on did not show.`);
  return none ? unknown('No page names a next one: see A12.') : unknown('No page named a next one.');
}

function walkEnd({ end }: ContinuationFacts): Said {
  if (end === 'none') return holds('A page came that names no next one: the last of its walk.');
  if (end === 'empty') return holds('After the last entries comes an empty page that names no next one.');
  if (end === 'open')
    return unknown(
      'An empty page after the last entries still names a next one. Pages without anything new end a walk then.',
    );
  return unknown();
}

function names({ entries, time, actionKey, membership, organisation }: FieldFacts): Said {
  const found = [
    time === null
      ? 'No field was recognised as the time.'
      : `time at ${time.pointer}: a stamp in ${percent(time.share)} of the entries${FOUND_BY[time.by]}.`,
    actionKey === null ? 'No field was recognised as the action key.' : placeText('action key', actionKey, entries),
    membership === null ? '' : placeText('membership', membership, entries),
    organisation === null ? '' : placeText('organisation', organisation, entries),
  ];
  if (entries === 0) return unknown('No entry came.');
  return time === null || actionKey === null || time.by === 'value' ? differs(...found) : holds(...found);
}

const FOUND_BY = {
  setting: ', as the settings say',
  name: '',
  value: ', and pages are sorted by it; its name does not say so',
};

function placeText(what: string, { pointer, entries, different }: Place, of: number): string {
  return `${what} at ${pointer}: in ${entries} of ${of} entries, ${counted(different, 'value')}.`;
}

function percent(share: number): string {
  return share === 1 ? 'all' : `${Math.floor(share * 100)} %`;
}

const ORDERS = {
  descending: 'Newest first',
  ascending: 'Oldest first',
  unsorted: 'Unsorted',
  changing: 'Not always the same order',
  crossed: 'Pages follow each other in order, but are sorted otherwise themselves',
};

function order({ order: found, ordered }: PageFacts): Said {
  return found === null ? unknown() : holds(`${ORDERS[found]}, in ${counted(ordered, 'page')}.`);
}

function life({ again, later }: ContinuationFacts): Said {
  if (again === null) return unknown();
  if (again === 'refused')
    return differs('The same continuation was refused the second time. The bridge then reads the window again.');
  if (again === 'further')
    return differs('The same continuation gave another page the second time: the service keeps the place itself.');
  if (later === null) return holds('The same continuation gave the same page twice. How long it lives is unknown.');
  const span = `${counted(later.seconds, 'second')} after its page`;
  return later.refused
    ? differs(`The same continuation gave the same page twice, and was refused ${span}.`)
    : holds(`The same continuation gave the same page twice, the last time ${span}. How long it lives is unknown.`);
}

function bounds({ start, end, startInclusive, endInclusive, asMeant }: FilterFacts): Said {
  const texts = [boundText('startDate', start, startInclusive), boundText('endDate', end, endInclusive)];
  if (asMeant === false && start === null) return differs('Known entries between startDate and endDate did not come.');
  if (start === 'ignored' || end === 'ignored' || (start === 'day' && startInclusive !== true))
    return differs(...texts);
  if (asMeant === false && start === 'exact') return differs(...texts, 'Both are moved against the stamps: see A8.');
  return start === null || end === null ? unknown(...texts) : holds(...texts);
}

function boundText(name: string, mode: BoundMode | null, inclusive: boolean | null): string {
  if (mode === null) return '';
  if (mode === 'ignored') return `${name} is ignored.`;
  const comes = inclusive === null ? '' : inclusive ? ', which it includes' : ', which it leaves out';
  return mode === 'day' ? `${name} counts by its day${comes}.` : `${name} counts to the moment${comes}.`;
}

function actionKeys({ actionKey, otherKeys }: FieldFacts): Said {
  if (actionKey === null) return unknown('No action key was recognised.');
  return holds(`${counted(actionKey.different, 'key')} met, of these ${otherKeys} OtherActionLogged.`);
}

const FORMS = {
  utc: 'in UTC',
  offset: 'with an offset',
  wall: 'as local time without an offset',
  unix: 'as a number since 1970',
};
const READINGS: Readonly<Record<Reading, string>> = {
  instant: 'read as that moment',
  local: 'read as local time',
  utc: 'read as UTC',
  meant: 'read as meant',
  refused: 'refused',
};
const DATES = { offset: 'with an offset', utc: 'ending in Z', wall: 'without an offset' };

function stamps(
  { form, fractionDigits, example, zone, newestAgeMs }: ClockFacts,
  { asMeant, readings }: FilterFacts,
  { timeZone }: SourceSettings,
): Said {
  if (form === null) return unknown('No stamp was recognised.');
  const texts = [
    `Stamps are ${FORMS[form]}, with ${fractionDigits} digits of a second, such as ${example}.`,
    zone === null
      ? form === 'wall'
        ? `Nothing shows for certain that ${timeZone} is the zone of the stamps.`
        : ''
      : zoneText(zone, timeZone),
    newestAgeMs === null ? '' : `The newest looks ${ageText(newestAgeMs)}.`,
    ...(['offset', 'utc', 'wall'] as const).map((written) => {
      const reading = readings[written];
      return reading === null
        ? `Dates ${DATES[written]}: unknown.`
        : `Dates ${DATES[written]} are ${READINGS[reading]}.`;
    }),
  ];
  if (zone?.fits === false || asMeant === false) return differs(...texts);
  return asMeant === null || (form === 'wall' && zone === null) ? unknown(...texts) : holds(...texts);
}

function zoneText({ fits, by }: NonNullable<ClockFacts['zone']>, timeZone: string): string {
  const shown = { offsets: 'Their offsets', dates: 'Dates ending in Z', appeared: 'Entries that came meanwhile' }[by];
  return `${shown} ${fits ? 'agree' : 'do not agree'} with ${timeZone}.`;
}

/** `2 h 5 min old`. */
export function ageText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60)];
  const span = days > 1 ? `${days} days` : hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
  return ms < -60_000 ? `${span} ahead` : `${span} old`;
}

function immutability({ readAgain: { entries, changed } }: FieldFacts): Said {
  if (entries === 0) return unknown();
  if (changed > 0)
    return differs(`${changed} of ${counted(entries, 'entry', 'entries')} read twice came with other content.`);
  return holds(
    `${counted(entries, 'entry', 'entries')} read twice came the same. Later changes cannot be seen from here.`,
  );
}

function identity({ id, idCandidates, entries, onPage }: FieldFacts): Said {
  if (entries === 0) return unknown();
  if (id === null) {
    const others =
      idCandidates.length === 0 ? '' : `Different in each of ${onPage} entries: ${idCandidates.join(', ')}.`;
    return differs('No field says that it is the id of the entry: its content identifies it.', others);
  }
  const evidence = `id at ${id.pointer}: in ${id.entries} of ${onPage} entries of a page, ${counted(id.different, 'value')}.`;
  return id.different === id.entries && id.entries === onPage ? holds(evidence) : differs(evidence);
}

function noContinuation({ works, none, taken }: ContinuationFacts): Said {
  if (works !== null && works.from !== 'link') return holds('Does not apply: a page names the next one.');
  if (none)
    return holds('A page that left out known entries names no next one. The bridge reads by ever smaller windows.');
  return works === null && taken?.fails !== true ? unknown() : differs('See A1.');
}

function sizes({ accepted, refused, largest }: PageFacts): Said {
  const texts = [
    accepted === null ? 'A page without pageSize came.' : `pageSize ${accepted} is accepted.`,
    ...refused.map(({ pageSize, status }) => `${pageSize} is refused (${status}).`),
    largest === null ? '' : `For 1000 came ${counted(largest.entries, 'entry', 'entries')}${MORE[`${largest.more}`]}.`,
  ];
  return holds(...texts);
}

const MORE: Readonly<Record<string, string>> = { true: ', and the log has more', false: ': all there are', null: '' };

function rates({ rateHeaders }: PageFacts): Said {
  return rateHeaders.length === 0
    ? unknown('No header about rates was seen. Ask the service.')
    : unknown(`Headers about rates: ${rateHeaders.join(', ')}. Ask the service.`);
}

function retention({ oldest, oldestAgeMs, empty }: PageFacts): Said {
  if (oldest === null || oldestAgeMs === null) return unknown();
  const none =
    empty === null
      ? ''
      : `Nothing came from before ${empty.before.slice(0, 10)}: either it is not kept, or nothing happened.`;
  return unknown(`The oldest stamp seen is ${ageText(oldestAgeMs)}.`, none);
}

function organisations({ organisation, elsewhere, entries }: FieldFacts, { organisationId }: SourceSettings): Said {
  if (organisation === null) return unknown('No entry names its organisation.');
  const texts = [
    `${counted(organisation.different, 'organisation')} in ${organisation.entries} of ${counted(entries, 'entry', 'entries')}.`,
    elsewhere === null ? '' : `${elsewhere} of them name another one than organisationId.`,
  ];
  if (organisation.different > 1 || (elsewhere ?? 0) > 0) return differs(...texts);
  return organisationId === null ? unknown(...texts) : holds(...texts);
}

function statuses({ refused }: PageFacts): Said {
  const seen = refused.map(({ status, pageSize }) => `A page size of ${pageSize} is refused with ${status}.`);
  return unknown('Pages come in the envelope, with isValid, no errors, and a list.', ...seen);
}

function logins({ lifeMs, deviations }: Login): Said {
  const text = `A token came, for ${counted(Math.round(lifeMs / 1_000), 'second')}.`;
  return deviations.length === 0 ? holds(text) : differs(text, `Not as documented: ${deviations.join('; ')}.`);
}

function lengths({ kilobytes }: PageFacts): Said {
  return holds(`The longest page has ${kilobytes} kB, of 16,000 that the bridge takes.`);
}

const MAX_AHEAD_MS = 60_000;

function clocks({ aheadMs }: ClockFacts): Said {
  if (aheadMs === null) return unknown('No Date header.');
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds === 0) return holds('The clock of the service agrees with this one.');
  const text = `The clock of the service is ${counted(seconds, 'second')} ${aheadMs > 0 ? 'ahead of' : 'behind'} this one.`;
  return Math.abs(aheadMs) > MAX_AHEAD_MS ? differs(text) : holds(text);
}

function sameKeys({ id, sameKey, onPage }: FieldFacts): Said {
  if (id === null || onPage === 0) return unknown();
  if (sameKey > 0)
    return differs(`${sameKey} of ${onPage} entries of a page share id, time and action with another one.`);
  return unknown(`None of ${onPage} entries of a page shares id, time and action with another one.`);
}
