// Changes as a message of Slack. Untrusted text stands only in the texts of rich text, which Slack shows as they are: no mention, no link, no asterisk means anything there (D13). Pure.
import type { HeaderBlock, KnownBlock, RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import type { Change } from './change.ts';
import { cutDigest, toDigest, type Digest, type Group } from './digest.ts';
import { actOf, countsOf, formatTime, linkOf, nameOf, omittedWords, spanOf, titleOf, type Manner } from './words.ts';

/** What is posted to an incoming webhook. */
export type SlackMessage = {
  /** For notifications and screen readers; our own words alone, because Slack reads it as markup. */
  text: string;
  mrkdwn: false;
  blocks: KnownBlock[];
  unfurl_links: false;
  unfurl_media: false;
};

/** Slack takes 3,000 characters a text, and the lines of a member are one block. */
const MOST_OF_GROUP = 2_800;
/** Slack refuses about 13,000 characters in all and counts what it makes of the blocks, which nobody documents: held against JSON in its longest form, which is longer than the texts. Nor does Slack take
 * more than 50 blocks, which this leaves no room for: a member's block has 300 characters without a letter of theirs. */
const MOST_IN_ALL = 11_500;

/** One message for any number of changes, inside Slack's limits: how many, of what kind, and the first of them. Throws RangeError for none. */
export function toSlackMessage(changes: readonly Change[], manner: Manner): SlackMessage {
  const digest = toDigest(changes);
  const { groups, omitted } = cutDigest(digest, createRoom(manner));
  const blocks: KnownBlock[] = [
    toHeader(titleOf(digest)),
    ...(digest.total > 1 ? [plain(countsOf(digest))] : []),
    ...groups.map((group) => toBlock(group, manner)),
    ...(omitted > 0 ? [plain(omittedWords(omitted))] : []),
    plain(spanOf(digest, manner.timeZone)),
  ];
  return { text: toFallback(digest), mrkdwn: false, blocks, unfurl_links: false, unfurl_media: false };
}

/** Says whether one more change fits into the block of its member and into the message; once the message is full, nothing does. */
function createRoom(manner: Manner): (change: Change, begins: Group | null) => boolean {
  let [ofGroup, inAll] = [0, 0];
  let isFull = false;
  return (change, begins) => {
    if (isFull) return false;
    const heading = begins === null ? 0 : sizeOf(toBlock({ ...begins, changes: [] }, manner));
    const size = heading + sizeOf(toItem(change, manner)) + 1;
    isFull = inAll + size > MOST_IN_ALL;
    if (isFull || (begins === null && ofGroup + size > MOST_OF_GROUP)) return false;
    ofGroup = begins === null ? ofGroup + size : size;
    inAll += size;
    return true;
  };
}

/** As long as JSON can be made of it: whoever escapes all that is not ASCII, as PHP does by itself, needs six characters for each. */
function sizeOf(value: unknown): number {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, '______').length;
}

function toFallback(digest: Digest): string {
  return digest.total === 1 ? titleOf(digest) : `${titleOf(digest)}: ${countsOf(digest)}`;
}

function toHeader(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function plain(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}

/** A member's name, and under it a line for each change. */
function toBlock(group: Group, manner: Manner): RichTextBlock {
  const heading: RichTextSection = { type: 'rich_text_section', elements: [toName(group, manner)] };
  const items = group.changes.map((change) => toItem(change, manner));
  return { type: 'rich_text', elements: [heading, { type: 'rich_text_list', style: 'bullet', elements: items }] };
}

function toName(group: Group, manner: Manner): RichTextElement {
  const [text, url] = [nameOf(group), linkOf(group, manner)];
  const style = { bold: true };
  return url === null ? { type: 'text', text, style } : { type: 'link', url, text, style };
}

function toItem(change: Change, { timeZone }: Manner): RichTextSection {
  const text = `${actOf(change)} · ${formatTime(change.at, timeZone)}`;
  return { type: 'rich_text_section', elements: [{ type: 'text', text }] };
}
