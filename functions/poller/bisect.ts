// Cutting a window in two where paging cannot read it: time takes the place of pages.
import type { Window, Witness } from '../source/state.ts';

export type CutRequest = {
  /** Instants of the entries met in the window, in any order, ms since 1970. */
  met: readonly number[];
  now: number;
  /** Unit of the service's stamps, in ms. */
  unitMs: number;
  /** Whether entries stamped exactly at startDate and at endDate come back; anything but true makes the parts overlap. */
  startInclusive: boolean | null;
  endInclusive: boolean | null;
};

type Span = { from: number | null; to: number | null };
/** `exact`: the parts meet without sharing a unit, so they are asked one unit wider until both filters are known to include their bound. */
export type Cut = { spans: Span[]; exact: boolean };

/**
 * Cuts at the median stamp met into spans that together cover the window, the earliest first; outer sides stay open. What lies after now is cut off first.
 * While it is not proven that both filters include their bound, the two spans share the stamps on both sides of the cut.
 * Null where the window cannot become smaller: it is one unit long, or nothing with a stamp inside it was met.
 */
export function cutWindow({ from, to }: Span, request: CutRequest): Cut | null {
  // A sweep begins at any millisecond: on whole units no part ends before it begins, or begins before the window.
  const window = { from: from === null ? null : floorTo(from, request.unitMs), to };
  const stamps = distinctInside(window, request.met, request.unitMs);
  const only = stamps[0];
  if (only === undefined) return null;
  if (stamps.length === 1) return isolate(window, only, request.unitMs);
  const index = cutIndex(stamps, request.now);
  const [left, right] = [stamps[index] as number, stamps[index + 1] as number];
  const proven = request.startInclusive === true && request.endInclusive === true;
  const parts = [
    { from: window.from, to: right },
    { from: left, to: window.to },
  ];
  if (!proven && parts.every((part) => isSmaller(part, window))) return { spans: parts, exact: false };
  return { spans: splitAfter(window, left, request.unitMs), exact: true };
}

function distinctInside({ from, to }: Span, met: readonly number[], unitMs: number): number[] {
  const whole = met.map((instant) => floorTo(instant, unitMs));
  const inside = whole.filter((instant) => (from === null || instant >= from) && (to === null || instant <= to));
  return [...new Set(inside)].sort((a, b) => a - b);
}

function floorTo(instant: number, unitMs: number): number {
  return Math.floor(instant / unitMs) * unitMs;
}

/** Index of the last stamp of the earlier part, never of the last stamp. */
function cutIndex(stamps: readonly number[], now: number): number {
  const past = stamps.filter((instant) => instant <= now).length;
  if (past > 0 && past < stamps.length) return past - 1;
  return Math.floor((stamps.length - 1) / 2);
}

function isSmaller(part: Span, whole: Span): boolean {
  return part.from !== whole.from || part.to !== whole.to;
}

function splitAfter(window: Span, at: number, unitMs: number): Span[] {
  return [
    { from: window.from, to: at },
    { from: at + unitMs, to: window.to },
  ];
}

/** All entries met share one unit: that unit, and what lies before and after it. Null where nothing else is left of the window. */
function isolate(window: Span, at: number, unitMs: number): Cut | null {
  const before = window.from === null || window.from < at ? [{ from: window.from, to: at - unitMs }] : [];
  const after = window.to === null || window.to >= at + unitMs ? [{ from: at + unitMs, to: window.to }] : [];
  if (before.length + after.length === 0) return null;
  return { spans: [...before, { from: at, to: at }, ...after], exact: true };
}

/**
 * Turns a cut into windows, each with the witnesses that must be met in it. On top of the stack lies the side that was met first: of a service that gives the
 * newest first, the latest; else the earliest. Its part is known to be small; were the unread side on top, each page would leave a window on the stack.
 */
export function toWindows(cut: Cut, witnesses: readonly Witness[], inclusive: boolean): Window[] {
  const widen = cut.exact && !inclusive ? 1 : 0;
  const windows = cut.spans.map((span) => ({
    ...openWindow(span),
    widen,
    witnesses: nearestWitnesses(span, witnesses),
  }));
  return isNewestFirst(witnesses) ? windows : windows.reverse();
}

/** `met` in the order in which they came. */
function isNewestFirst(met: readonly Witness[]): boolean {
  const [first, last] = [met[0], met.at(-1)];
  return first !== undefined && last !== undefined && first.at > last.at;
}

export function openWindow({ from, to }: Span): Window {
  return {
    from,
    to,
    asked: null,
    continuation: null,
    restarts: 0,
    middle: [],
    widen: 0,
    wide: false,
    largest: false,
    witnesses: [],
  };
}

/** The entries met nearest to the bounds of a span: if a filter drops anything at its bound, it drops these. */
function nearestWitnesses(span: Span, met: readonly Witness[]): Witness[] {
  const inside = met.filter(({ at }) => (span.from === null || at >= span.from) && (span.to === null || at <= span.to));
  const [first] = inside;
  if (!first) return [];
  const earliest = inside.reduce((a, b) => (b.at < a.at ? b : a), first);
  const latest = inside.reduce((a, b) => (b.at > a.at ? b : a), first);
  return earliest.id === latest.id ? [earliest] : [earliest, latest];
}
