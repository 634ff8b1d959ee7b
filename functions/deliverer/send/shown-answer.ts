// What people see of a receiver's answer: its start, without anything that we have sent ourselves (D27).
import { printable } from '../../shared/printable.ts';

const SHOWN = 200;
/** As many of our characters in a row are an echo: of a body, a signature, a secret header. */
const ECHO = 8;

/** At most 200 printable characters; null for an empty answer, and a note in place of one that echoes us. */
export function shownAnswer(text: string, ours: readonly string[]): string | null {
  const start = text.trim().slice(0, SHOWN);
  if (start === '') return null;
  return echoes(start, ours) ? '(left out: it repeats what was sent)' : printable(start).slice(0, SHOWN);
}

/** Spaces, quotes and their escapes aside, which a receiver may change. */
function echoes(start: string, ours: readonly string[]): boolean {
  const [shown, sent] = [bare(start), ours.map(bare)];
  if (sent.some((one) => one.length > 0 && one.length < ECHO && shown.includes(one))) return true;
  for (let from = 0; from + ECHO <= shown.length; from += 1) {
    const piece = shown.slice(from, from + ECHO);
    if (sent.some((one) => one.includes(piece))) return true;
  }
  return false;
}

function bare(text: string): string {
  return text.replaceAll(/[\s"'\\]/g, '').toLowerCase();
}
