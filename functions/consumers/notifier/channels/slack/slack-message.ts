// Changes as a Slack message. Untrusted text is only in text elements of rich text, where Slack interprets no mentions,
// links or markup (D13). Pure.
import type { HeaderBlock, KnownBlock, RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import type { Change } from '../../what-to-say/change.ts';
import { cutDigest, toDigest, type Digest, type Group } from '../../what-to-say/digest.ts';
import {
  actionText,
  countsText,
  formatTime,
  linkOf,
  memberText,
  omittedText,
  spanText,
  titleText,
  type RenderOptions,
} from '../../what-to-say/message-text.ts';

/** The body of a request to an incoming webhook. */
export type SlackMessage = {
  /** For notifications and screen readers. Only our own words, because Slack reads it as markup. */
  text: string;
  mrkdwn: false;
  blocks: KnownBlock[];
  unfurl_links: false;
  unfurl_media: false;
};

/** Slack accepts 3,000 characters per text, and the lines of a member are one block. */
const MAX_IN_GROUP = 2_800;
/**
 * Slack refuses messages of about 13,000 characters, counted in an undocumented form of the blocks. JSON in its longest
 * form is longer than that. The limit of 50 blocks is never reached: an empty block already has 300 characters.
 */
const MAX_IN_ALL = 11_500;

/** Makes one message of any number of changes, within Slack's limits. Throws RangeError for none. */
export function toSlackMessage(changes: readonly Change[], options: RenderOptions): SlackMessage {
  const digest = toDigest(changes);
  const { groups, omitted } = cutDigest(digest, createFitCheck(options));
  const blocks: KnownBlock[] = [
    toHeader(titleText(digest)),
    ...(digest.total > 1 ? [plain(countsText(digest))] : []),
    ...groups.map((group) => toBlock(group, options)),
    ...(omitted > 0 ? [plain(omittedText(omitted))] : []),
    plain(spanText(digest, options.timeZone)),
  ];
  return { text: toFallback(digest), mrkdwn: false, blocks, unfurl_links: false, unfurl_media: false };
}

/** Whether one more change fits into its member's block and the message. Once the message is full, none fits. */
function createFitCheck(options: RenderOptions): (change: Change, newGroup: Group | null) => boolean {
  let [ofGroup, inAll] = [0, 0];
  let isFull = false;
  return (change, newGroup) => {
    if (isFull) return false;
    const heading = newGroup === null ? 0 : sizeOf(toBlock({ ...newGroup, changes: [] }, options));
    const size = heading + sizeOf(toItem(change, options)) + 1;
    isFull = inAll + size > MAX_IN_ALL;
    if (isFull || (newGroup === null && ofGroup + size > MAX_IN_GROUP)) return false;
    ofGroup = newGroup === null ? ofGroup + size : size;
    inAll += size;
    return true;
  };
}

/** The longest possible JSON: PHP escapes each character outside ASCII with six characters. */
function sizeOf(value: unknown): number {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, '______').length;
}

function toFallback(digest: Digest): string {
  return digest.total === 1 ? titleText(digest) : `${titleText(digest)}: ${countsText(digest)}`;
}

function toHeader(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function plain(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] };
}

/** A member's name, and a line for each change. */
function toBlock(group: Group, options: RenderOptions): RichTextBlock {
  const heading: RichTextSection = { type: 'rich_text_section', elements: [toName(group, options)] };
  const items = group.changes.map((change) => toItem(change, options));
  return { type: 'rich_text', elements: [heading, { type: 'rich_text_list', style: 'bullet', elements: items }] };
}

function toName(group: Group, options: RenderOptions): RichTextElement {
  const [text, url] = [memberText(group), linkOf(group, options)];
  const style = { bold: true };
  return url === null ? { type: 'text', text, style } : { type: 'link', url, text, style };
}

function toItem(change: Change, { timeZone }: RenderOptions): RichTextSection {
  const text = `${actionText(change)} · ${formatTime(change.at, timeZone)}`;
  return { type: 'rich_text_section', elements: [{ type: 'text', text }] };
}
