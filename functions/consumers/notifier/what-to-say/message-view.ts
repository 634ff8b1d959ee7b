// What a message says, as plain texts in rows, for every kind of channel: a channel only lays it out. Pure.
import { MEMBER_IN_LINK, type NotifierChannel } from '../config.ts';
import type { Change } from './change.ts';
import { countKinds, toDigest, type Digest, type KindGroup, type Member, type MemberGroup } from './digest.ts';
import { createFormats, type Formats } from './formats.ts';
import { createPhrasebook, type Kind, type Phrasebook } from './phrasebook.ts';
import { isolated, toPlainText } from './plain-text.ts';

/** The settings of a channel that a message needs. */
export type RenderOptions = Pick<
  NotifierChannel,
  'name' | 'timeZone' | 'links' | 'locale' | 'phrases' | 'words' | 'show'
>;

/** Texts of one line. Those of a row are untrusted; the others have no name and no field of an entry. */
export type MessageView = {
  /** For subjects and notifications, which locked screens show: "137 changes: 3 new members, 7 updates". */
  subject: string;
  /** "137 changes". Null if the only row says everything. */
  title: string | null;
  /** The number of each kind, the rarest first. Null if the only row says everything. */
  summary: string | null;
  /** "21 Nov 2026, 08:03–09:30, Europe/Amsterdam". */
  span: string;
  rows: Row[];
  /** What no row shows: "… and 12 more changes, not shown here: 12 updates". Null if rows show everything. */
  rest: string | null;
  /** Who sends the message, and what it does not have. */
  footer: string[];
};

/** One thing to read. */
export type Row = {
  /** To be stressed: "Ada", ", ", "Ben"; "11 new members". */
  head: Part[];
  /** Behind the head and a colon: "joined, 7 updates; 3 payments"; "Ada", ", ", "Ben (2)". Empty if that is all. */
  body: Part[];
  /** The shown fields: "Amount: 10.00, 25.50". */
  details: string[];
  /** "08:03–09:30", with the date if the message spans more than one day. Empty for several changes of a kind. */
  when: string;
};

/** Parts are written one behind the other, with nothing between them. */
export type Part = { text: string; link: string | null };

/** A message with more rows about members has a row for each kind of change instead. */
const EASY_ROWS = 12;
/** Names in a row. */
const MAX_NAMES = 8;
/** Kinds in a row. The text of a kind has at most 100 characters. */
const MAX_ITEMS = 8;
/** Characters of a summary. */
const MAX_SUMMARY = 400;
/** Values of a shown field in a row. */
const MAX_VALUES = 5;
const MAX_VALUE = 120;

type Speech = { book: Phrasebook; formats: Formats; options: RenderOptions };

/**
 * Says what happened: in a row for each member, or, if those are too many, for each kind. `createFits` makes a function
 * that is called for each row in turn, and says whether it still fits. If rows do not fit, the shown fields are left
 * out, and then rows. Throws RangeError for no changes.
 */
export function toMessageView(changes: readonly Change[], options: RenderOptions, createFits: CreateFits): MessageView {
  const formats = createFormats(options);
  const book = createPhrasebook(options, formats);
  const speech = { book, formats, options };
  const [only] = changes;
  const isSingle = only !== undefined && changes.length === 1;
  const view = isSingle ? toSingleView(only, speech) : toDigestView(changes, speech, createFits);
  return { ...view, footer: footerOf(book, options) };
}

type Body = Omit<MessageView, 'footer'>;

function toSingleView(change: Change, speech: Speech): Body {
  const { book, formats, options } = speech;
  const kind = book.kindOf(change);
  const span = `${formats.span(change.at, change.at)}, ${options.timeZone}`;
  const when = formats.span(change.at, change.at);
  const row = { ...toSentence(change, kind, speech), details: detailsOf(change.shown, speech), when };
  return { subject: plain(book.nameless(kind)), title: null, summary: null, span, rows: [row], rest: null };
}

function toSentence(change: Change, kind: Kind, speech: Speech): Pick<Row, 'head' | 'body'> {
  const { book, options } = speech;
  if (change.isNotice) return { head: [unlinked(book.words.bridge)], body: [unlinked(book.nameless(kind))] };
  const { member } = change;
  const link = linkOf(member, options);
  if (member === null) return { head: [unlinked(book.nameless(kind))], body: [] };
  if (member.name === null)
    return { head: [{ text: book.nameless(kind), link }], body: [unlinked(memberText(member, speech))] };
  const { before, after } = book.around(kind);
  const parts = [unlinked(before), { text: isolated(member.name), link }, unlinked(after)];
  return { head: parts.filter(({ text }) => text !== ''), body: [] };
}

function unlinked(text: string): Part {
  return { text, link: null };
}

type CreateFits = () => (row: Row) => boolean;

function toDigestView(changes: readonly Change[], speech: Speech, createFits: CreateFits): Body {
  const { book, formats, options } = speech;
  const digest = toDigest(changes, book.kindOf);
  const { rows, rest, areOfKinds } = toRows(digest, speech, createFits);
  const title = book.countedWord('changes', digest.total);
  const summary = summaryOf(digest.counts, speech);
  return {
    subject: plain(`${title}: ${summary}`),
    title,
    // Rows of kinds have the same numbers.
    summary: areOfKinds ? null : summary,
    span: `${formats.span(digest.from, digest.to)}, ${options.timeZone}`,
    rows,
    rest: rest.length === 0 ? null : restOf(rest, speech),
  };
}

/** What rows of kinds have, from the most to the least. */
const ROOMS = [
  { isShown: true, maxNames: MAX_NAMES },
  { isShown: false, maxNames: MAX_NAMES },
  { isShown: false, maxNames: 5 },
];
const MIN_ROOM = { isShown: false, maxNames: 3 };

type Filled = { rows: Row[]; rest: Change[] };

function toRows(
  { byMember, byKind, from, to }: Digest,
  speech: Speech,
  createFits: CreateFits,
): Filled & { areOfKinds: boolean } {
  const isOneDay = speech.formats.isOneDay(from, to);
  if (byMember.length <= EASY_ROWS) {
    const ofMembers = fill(byMember, (group) => toMemberRow(group, speech, isOneDay), createFits());
    if (ofMembers.rest.length === 0) return { ...ofMembers, areOfKinds: false };
  }
  const ofKinds = (options: Omit<KindRowOptions, 'isOneDay'>): Filled =>
    fill(byKind, (group) => toKindRow(group, speech, { isOneDay, ...options }), createFits());
  const whole = ROOMS.values()
    .map(ofKinds)
    .find(({ rest }) => rest.length === 0);
  return { ...(whole ?? ofKinds(MIN_ROOM)), areOfKinds: true };
}

/** The first rows, until one does not fit. */
function fill<Group extends { changes: Change[] }>(
  groups: readonly Group[],
  toRow: (group: Group) => Row,
  fits: (row: Row) => boolean,
): Filled {
  const rows: Row[] = [];
  for (const [index, group] of groups.entries()) {
    const row = toRow(group);
    if (!fits(row)) return { rows, rest: groups.slice(index).flatMap(({ changes }) => changes) };
    rows.push(row);
  }
  return { rows, rest: [] };
}

/** "1 new member, 7 updates": notices, which are sentences, count as one kind. */
function summaryOf(counts: Digest['counts'], { book, formats }: Speech): string {
  const total = (items: Digest['counts']): number => items.reduce((sum, { count }) => sum + count, 0);
  const notices = total(counts.filter(({ kind }) => kind.isNotice));
  const kinds = counts.filter(({ kind }) => !kind.isNotice);
  const texts = notices > 0 ? [book.countedWord('notices', notices)] : [];
  let length = 0;
  for (const [index, { kind, count }] of kinds.entries()) {
    const text = book.counted(kind, count);
    length += text.length + 2;
    if (length > MAX_SUMMARY) return formats.shortList([...texts, book.countedWord('more', total(kinds.slice(index)))]);
    texts.push(text);
  }
  return formats.shortList(texts);
}

function restOf(changes: readonly Change[], speech: Speech): string {
  const counts = countKinds(changes, speech.book.kindOf);
  return `${speech.book.countedWord('rest', changes.length)}: ${summaryOf(counts, speech)}`;
}

function toMemberRow(group: MemberGroup, speech: Speech, isOneDay: boolean): Row {
  const { isNotice, members, shown, changes } = group;
  const { book, options } = speech;
  const toName = (member: Member): Part => ({ text: memberText(member, speech), link: linkOf(member, options) });
  const head =
    members.length > 0
      ? listOf(members, toName, speech)
      : [unlinked(isNotice ? book.words.bridge : book.words.general)];
  const body = [unlinked(saidOf(group, speech))];
  return { head, body, details: detailsOf(shown, speech), when: whenOf(changes, speech, isOneDay) };
}

/** "joined, 7 updates; 3 payments". */
function saidOf({ isNotice, members, items }: MemberGroup, { book, formats }: Speech): string {
  const all = items.flat();
  const [first] = all;
  if (isNotice && first?.count === 1) return book.nameless(first.kind);
  const known = new Set(all.slice(0, MAX_ITEMS));
  const omitted = all.slice(MAX_ITEMS).reduce((sum, { count }) => sum + count, 0);
  const said = items.flatMap((ofType) => {
    const texts = ofType.filter((item) => known.has(item)).map(({ kind, count }) => book.item(kind, count));
    return texts.length === 0 ? [] : [formats.shortList(texts)];
  });
  const text = [...said, ...(omitted === 0 ? [] : [book.countedWord('more', omitted)])].join('; ');
  const isOfEach = members.length > 1 && all.some(({ count }) => count > 1);
  return isOfEach ? book.words.each.replaceAll('{items}', () => text) : text;
}

type KindRowOptions = { isOneDay: boolean; isShown: boolean; maxNames: number };

function toKindRow({ kind, members, changes }: KindGroup, speech: Speech, options: KindRowOptions): Row {
  const { book, formats } = speech;
  const when = changes.length === 1 ? whenOf(changes, speech, options.isOneDay) : '';
  if (kind.isNotice) {
    const text = changes.length === 1 ? book.nameless(kind) : book.counted(kind, changes.length);
    return { head: [unlinked(book.words.bridge)], body: [unlinked(text)], details: [], when };
  }
  const toName = ({ member, count, shown }: KindGroup['members'][number]): Part => {
    const more = [...(count > 1 ? [formats.count(count)] : []), ...(options.isShown ? detailsOf(shown, speech) : [])];
    const text = memberText(member, speech);
    return { text: more.length === 0 ? text : `${text} (${more.join('; ')})`, link: linkOf(member, speech.options) };
  };
  const head = [unlinked(book.counted(kind, changes.length))];
  const body = members.length === 0 ? [] : listOf(members, toName, speech, options.maxNames);
  return { head, body, details: [], when };
}

/** "Ada, Ben and 12 more". Writes only the names that it lists: there may be thousands, with fields. */
function listOf<Named>(
  named: readonly Named[],
  toName: (one: Named) => Part,
  { book, formats }: Speech,
  maxNames = MAX_NAMES,
): Part[] {
  const shown = named.slice(0, named.length > maxNames ? maxNames - 1 : maxNames).map(toName);
  const omitted = named.length - shown.length;
  const all = omitted === 0 ? shown : [...shown, unlinked(book.countedWord('more', omitted))];
  const elements = all.values();
  return formats
    .listParts(all.map(({ text }) => text))
    .map(({ text, isElement }) => (isElement ? elements.next().value : null) ?? unlinked(text));
}

function whenOf(changes: readonly Change[], { formats }: Speech, isOneDay: boolean): string {
  const [first, last] = [changes[0], changes.at(-1)];
  return first === undefined || last === undefined ? '' : formats.when(first.at, last.at, { isOneDay });
}

/** The values of each field, each once. */
function detailsOf(shown: Change['shown'], { book, formats }: Speech): string[] {
  const texts = shown.map(({ label, value }) => {
    const text = formats.value(value, book.words);
    return { label, text: text === null ? '' : isolated(toPlainText(text, MAX_VALUE)) };
  });
  const known = Map.groupBy(
    texts.filter(({ text }) => text !== ''),
    ({ label }) => label,
  );
  return [...known].map(([label, values]) => {
    const all = [...new Set(values.map(({ text }) => text))];
    const omitted = all.length - MAX_VALUES;
    const listed = omitted > 0 ? [...all.slice(0, MAX_VALUES), book.countedWord('more', omitted)] : all;
    return `${label}: ${formats.shortList(listed)}`;
  });
}

/** The name, else the id. */
function memberText({ id, name }: Member, { book }: Speech): string {
  return isolated(name ?? book.words.memberWithId.replaceAll('{id}', () => id));
}

/** The link behind a member's name, or null. The member controls only the encoded id in it. */
function linkOf(member: Member | null, { links }: RenderOptions): string | null {
  if (links?.member === undefined || member === null || member.id === '') return null;
  return links.member.replaceAll(MEMBER_IN_LINK, () => encodeURIComponent(member.id));
}

/** Where fields are shown, the message does not say that there are none. */
function footerOf({ words }: Phrasebook, { name, show = [] }: RenderOptions): string[] {
  const sentBy = words.sentBy.replaceAll('{channel}', () => name);
  return [show.length === 0 ? `${sentBy} ${words.nothingElse}` : sentBy];
}

const MAX_SUBJECT = 150;

/** Action keys come from the service, not from a member. They are untrusted nevertheless. */
function plain(text: string): string {
  return toPlainText(text, MAX_SUBJECT);
}
