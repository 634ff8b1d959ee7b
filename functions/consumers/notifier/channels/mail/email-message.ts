// Changes as a mail: a subject without names, and the same content as text and as HTML. Pure.
import { sha256Hex } from '../../../../shared/json.ts';
import type { Change } from '../../what-to-say/change.ts';
import { cutDigest, toDigest, type Cut, type Digest, type Group } from '../../what-to-say/digest.ts';
import { toGroupRow, toHtml, toLine, type MailGroup, type MailView } from './email-layout.ts';
import { toPlainText } from '../../what-to-say/plain-text.ts';
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

export type MailMessage = {
  /** One line. Locked screens and logs of mail servers show it, so it names no member. */
  subject: string;
  text: string;
  html: string;
  /** The same for the same changes: many mail clients hide duplicates. */
  digest: string;
};

/** Mail clients cut mails of about 100 KB. In bytes, without the frame of the layout. */
const MAX_BYTES = 85_000;
/** More than anybody reads. */
const MAX_LINES = 100;
const MAX_SUBJECT = 150;

/** One mail for any number of changes. Throws RangeError for none. */
export function toMailMessage(changes: readonly Change[], options: RenderOptions & { name: string }): MailMessage {
  const digest = toDigest(changes);
  const view = toView(digest, cutDigest(digest, createFitCheck(options)), options);
  return {
    subject: toSubject(digest),
    text: toText(view),
    html: toHtml(view),
    digest: sha256Hex(
      changes
        .map(({ id }) => id)
        .toSorted()
        .join('\n'),
    ),
  };
}

function createFitCheck(options: RenderOptions): (change: Change, newGroup: Group | null) => boolean {
  let [lines, bytes] = [0, 0];
  let isFull = false;
  return (change, newGroup) => {
    if (isFull) return false;
    const html = newGroup === null ? toLine(lineOf(change, options)) : toGroupRow(groupOf(newGroup, [change], options));
    lines += 1;
    bytes += Buffer.byteLength(html);
    isFull = lines > MAX_LINES || bytes > MAX_BYTES;
    return !isFull;
  };
}

function groupOf(group: Group, changes: readonly Change[], options: RenderOptions): MailGroup {
  const lines = changes.map((change) => lineOf(change, options));
  return { name: memberText(group), link: linkOf(group, options), lines };
}

function lineOf(change: Change, { timeZone }: RenderOptions): MailGroup['lines'][number] {
  return { text: actionText(change), aside: formatTime(change.at, timeZone) };
}

/** The action key comes from the service, not from a member. It is untrusted nevertheless. */
function toSubject(digest: Digest): string {
  const only = digest.total === 1 ? digest.groups[0]?.changes[0] : undefined;
  const words = only === undefined ? `${titleText(digest)}: ${countsText(digest)}` : actionText(only);
  return toPlainText(words, MAX_SUBJECT);
}

function toView(digest: Digest, { groups, omitted }: Cut, options: RenderOptions & { name: string }): MailView {
  return {
    title: titleText(digest),
    summary: digest.total === 1 ? spanText(digest, options.timeZone) : countsText(digest),
    groups: groups.map((group) => groupOf(group, group.changes, options)),
    omitted: omitted > 0 ? omittedText(omitted) : null,
    footer: [
      ...(digest.total === 1 ? [] : [spanText(digest, options.timeZone)]),
      `Sent by the membership event bridge, channel ${options.name}. What each change held is not in this mail.`,
    ],
  };
}

function toText({ title, summary, groups, omitted, footer }: MailView): string {
  const sections = groups.map(({ name, link, lines }) =>
    [name, ...(link === null ? [] : [link]), ...lines.map(({ text, aside }) => `- ${text}\n  ${aside}`)].join('\n'),
  );
  const parts = [`${title}\n${summary}`, ...sections, ...(omitted === null ? [] : [omitted]), footer.join('\n')];
  return `${parts.join('\n\n')}\n`;
}
