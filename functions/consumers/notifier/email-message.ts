// Changes as a mail: a subject that names nobody, and the same content as text and as HTML. Pure.
import { sha256Hex } from '../../shared/json.ts';
import type { Change } from './change.ts';
import { cutDigest, toDigest, type Cut, type Digest, type Group } from './digest.ts';
import { toGroupRow, toHtml, toLine, type MailGroup, type MailView } from './email-layout.ts';
import { toPlainText } from './plain-text.ts';
import { actOf, countsOf, formatTime, linkOf, nameOf, omittedWords, spanOf, titleOf, type Manner } from './words.ts';

export type MailMessage = {
  /** One line. It shows on locked screens and in the logs of mail servers, so that it names no member. */
  subject: string;
  text: string;
  html: string;
  /** The same for the same changes: many mail clients show a repetition once. */
  digest: string;
};

/** Mail clients cut what is longer than about 100 KB; without the frame of the layout, in bytes. */
const MOST_BYTES = 85_000;
/** More than anybody reads. */
const MOST_LINES = 100;
const LONGEST_SUBJECT = 150;

/** One mail for any number of changes. Throws RangeError for none. */
export function toMailMessage(changes: readonly Change[], manner: Manner & { name: string }): MailMessage {
  const digest = toDigest(changes);
  const view = toView(digest, cutDigest(digest, createRoom(manner)), manner);
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

function createRoom(manner: Manner): (change: Change, begins: Group | null) => boolean {
  let [lines, bytes] = [0, 0];
  let isFull = false;
  return (change, begins) => {
    if (isFull) return false;
    const html = begins === null ? toLine(lineOf(change, manner)) : toGroupRow(groupOf(begins, [change], manner));
    lines += 1;
    bytes += Buffer.byteLength(html);
    isFull = lines > MOST_LINES || bytes > MOST_BYTES;
    return !isFull;
  };
}

function groupOf(group: Group, changes: readonly Change[], manner: Manner): MailGroup {
  const lines = changes.map((change) => lineOf(change, manner));
  return { name: nameOf(group), link: linkOf(group, manner), lines };
}

function lineOf(change: Change, { timeZone }: Manner): MailGroup['lines'][number] {
  return { text: actOf(change), aside: formatTime(change.at, timeZone) };
}

/** The action key is the service's word, not a member's; it is untrusted all the same. */
function toSubject(digest: Digest): string {
  const only = digest.total === 1 ? digest.groups[0]?.changes[0] : undefined;
  const words = only === undefined ? `${titleOf(digest)}: ${countsOf(digest)}` : actOf(only);
  return toPlainText(words, LONGEST_SUBJECT);
}

function toView(digest: Digest, { groups, omitted }: Cut, manner: Manner & { name: string }): MailView {
  return {
    title: titleOf(digest),
    summary: digest.total === 1 ? spanOf(digest, manner.timeZone) : countsOf(digest),
    groups: groups.map((group) => groupOf(group, group.changes, manner)),
    omitted: omitted > 0 ? omittedWords(omitted) : null,
    footer: [
      ...(digest.total === 1 ? [] : [spanOf(digest, manner.timeZone)]),
      `Sent by the membership event bridge, channel ${manner.name}. What each change held is not in this mail.`,
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
