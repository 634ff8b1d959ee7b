// Changes as an Adaptive Card in Teams. All text is in text runs, which have no Markdown, mentions or links of their
// own (D30, Assumption T5). Pure.
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

/** The body of a request to a workflow. */
export type TeamsMessage = {
  type: 'message';
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive'; contentUrl: null; content: TeamsCard }];
};

export type TeamsCard = {
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
  type: 'AdaptiveCard';
  /** The first with rich text. Teams takes up to 1.5. */
  version: '1.2';
  msteams: { width: 'Full' };
  body: RichTextBlock[];
};

export type RichTextBlock = {
  type: 'RichTextBlock';
  inlines: [TextRun];
  spacing?: 'None' | 'Medium';
  separator?: true;
};

export type TextRun = {
  type: 'TextRun';
  text: string;
  size?: 'Small' | 'Medium';
  weight?: 'Bolder';
  isSubtle?: true;
  selectAction?: { type: 'Action.OpenUrl'; url: string };
};

/**
 * Teams takes 28,672 bytes. A workflow writes the card as a text into another JSON, where each quote has two bytes, so
 * the longest form of that is measured (Assumption T2). The rest is for what Teams adds.
 */
const MAX_BYTES = 26_000;

/** Makes one message of any number of changes, within Teams's limit. Throws RangeError for none. */
export function toTeamsMessage(changes: readonly Change[], options: RenderOptions): TeamsMessage {
  const digest = toDigest(changes);
  const frame = toMessage(toBody(digest, { groups: [], omitted: digest.total }, options));
  const { groups, omitted } = cutDigest(digest, createFitCheck(sizeOf(frame), options));
  return toMessage(toBody(digest, { groups, omitted }, options));
}

function toMessage(body: RichTextBlock[]): TeamsMessage {
  const content: TeamsCard = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    msteams: { width: 'Full' },
    body,
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** Whether one more change fits. Once the message is full, none fits. */
function createFitCheck(frameBytes: number, options: RenderOptions) {
  let bytes = frameBytes;
  return (change: Change, newGroup: Group | null): boolean => {
    const blocks = [...(newGroup === null ? [] : [toHeading(newGroup, options)]), toLine(change, options)];
    bytes += sizeOf(blocks);
    return bytes <= MAX_BYTES;
  };
}

/** In bytes, in the longest form: JSON as a text in JSON, with seven characters for each that is not ASCII. */
function sizeOf(value: unknown): number {
  return JSON.stringify(JSON.stringify(value)).replaceAll(/[^ -~]/g, '_______').length;
}

function toBody(
  digest: Digest,
  { groups, omitted }: { groups: readonly Group[]; omitted: number },
  options: RenderOptions,
): RichTextBlock[] {
  return [
    toBlock({ text: titleText(digest), size: 'Medium', weight: 'Bolder' }),
    ...(digest.total > 1 ? [toBlock({ text: countsText(digest), isSubtle: true }, { spacing: 'None' })] : []),
    ...groups.flatMap((group) => [
      toHeading(group, options),
      ...group.changes.map((change) => toLine(change, options)),
    ]),
    ...(omitted > 0 ? [toBlock({ text: omittedText(omitted), weight: 'Bolder' }, { spacing: 'Medium' })] : []),
    toBlock({ text: spanText(digest, options.timeZone), size: 'Small', isSubtle: true }, { spacing: 'Medium' }),
  ];
}

/** A member's name. */
function toHeading(group: Group, options: RenderOptions): RichTextBlock {
  const url = linkOf(group, options);
  const selectAction = url === null ? {} : { selectAction: { type: 'Action.OpenUrl', url } as const };
  const run = { text: memberText(group), weight: 'Bolder', ...selectAction } as const;
  return toBlock(run, { spacing: 'Medium', separator: true });
}

function toLine(change: Change, { timeZone }: RenderOptions): RichTextBlock {
  return toBlock({ text: `${actionText(change)} · ${formatTime(change.at, timeZone)}` }, { spacing: 'None' });
}

function toBlock(
  { text, ...style }: Omit<TextRun, 'type'>,
  layout: Pick<RichTextBlock, 'spacing' | 'separator'> = {},
): RichTextBlock {
  return { type: 'RichTextBlock', ...layout, inlines: [{ type: 'TextRun', text: toLiteral(text), ...style }] };
}

/** Text runs replace `{{DATE(…)}}` and `{{TIME(…)}}`: a word joiner, which nobody sees, keeps the braces apart. */
function toLiteral(text: string): string {
  return text.replaceAll(/\{(?=\{)/g, '{\u2060');
}
