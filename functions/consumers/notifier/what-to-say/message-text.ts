// Texts that all media share: headings, counts, times, links. Pure.
import { MEMBER_IN_LINK, type NotifierChannel } from '../config.ts';
import type { Change } from './change.ts';
import type { Digest, Group } from './digest.ts';

/** The settings of a channel that a message needs. */
export type RenderOptions = Pick<NotifierChannel, 'timeZone' | 'links'>;

/** "Member changed", "12 changes" or "From the bridge". Trusted: it holds only our own words and numbers. */
export function titleText({ total, groups }: Digest): string {
  const only = total === 1 ? groups[0]?.changes[0] : undefined;
  if (only === undefined) return `${formatCount(total)} changes`;
  return only.isNotice ? 'From the bridge' : only.what;
}

/** "8 × Member changed, 4 × Payment changed". */
export function countsText({ counts }: Digest): string {
  return counts.map(({ what, count }) => `${formatCount(count)} × ${what}`).join(', ');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-GB');
}

/** "… and 9,950 more". */
export function omittedText(omitted: number): string {
  return `… and ${formatCount(omitted)} more, not shown here`;
}

/** The member of a group: the name, else the membership. */
export function memberText({ member, isNotice }: Group): string {
  if (isNotice) return 'From the bridge';
  if (member === null) return 'About no single member';
  return member.name ?? `Member ${member.id}`;
}

/** The link behind a member's name, or null. The member controls only the encoded id in it. */
export function linkOf({ member }: Group, { links }: RenderOptions): string | null {
  if (links?.member === undefined || member === null || member.id === '') return null;
  return links.member.replaceAll(MEMBER_IN_LINK, () => encodeURIComponent(member.id));
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();
/** How far clocks are put back: an hour everywhere except on Lord Howe Island. */
const CLOCK_CHANGES_MS = [3_600_000, 1_800_000];
/** The limit of JavaScript's dates, in both directions. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** "21 Nov 2026, 08:03" in the channel's zone, with its offset from UTC if the time occurs twice. */
export function formatTime(at: number, timeZone: string): string {
  const format = formatOf(timeZone);
  const text = format.format(at);
  const others = CLOCK_CHANGES_MS.flatMap((ms) => [at - ms, at + ms]).filter((other) => Math.abs(other) <= MAX_DATE_MS);
  const isTwice = others.some((other) => format.format(other) === text);
  return isTwice ? `${text} (${offsetOf(at, timeZone)})` : text;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const style = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', { ...style, timeZone });
  FORMATS.set(timeZone, format);
  return format;
}

/** "UTC+2". */
function offsetOf(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', 'UTC');
}

/** "21 Nov 2026, 08:03 to 21 Nov 2026, 09:30, Europe/Amsterdam". */
export function spanText({ from, to }: Digest, timeZone: string): string {
  const [first, last] = [formatTime(from, timeZone), formatTime(to, timeZone)];
  return `${first === last ? first : `${first} to ${last}`}, ${timeZone}`;
}

/** "Member changed · ContactCreated": the action key is untrusted. */
export function actionText({ what, action }: Change): string {
  return action === null ? what : `${what} · ${isolated(action)}`;
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolates right-to-left text, which would otherwise move the number after it to its other side. */
function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
