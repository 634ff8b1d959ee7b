// A circle of pages that is longer than a run: one entry that comes round again, runs later, tells that all of it was seen.
import type { Accepted } from './accept-page.ts';
import type { Circle } from '../source/state.ts';

export function unseenCircle(): Circle {
  return { anchor: null, left: false };
}

/** The circle after one more page. */
export function followCircle(circle: Circle, { entries, allKnown }: Accepted): Circle {
  const [first] = entries;
  if (first === undefined) return circle;
  if (!allKnown) return unseenCircle();
  if (circle.anchor === null) return { anchor: first.id, left: false };
  return { ...circle, left: circle.left || !isMet(circle.anchor, entries) };
}

/**
 * Whether the page closes the circle: its anchor has come round, and all that came since was known, so there is nothing else in it. Pages that begin with the last
 * entry of the one before do not look like that: a page without the anchor lies in between.
 */
export function closesCircle({ anchor, left }: Circle, { entries, allKnown }: Accepted): boolean {
  return left && allKnown && anchor !== null && isMet(anchor, entries);
}

function isMet(anchor: string, entries: Accepted['entries']): boolean {
  return entries.some(({ id }) => id === anchor);
}
