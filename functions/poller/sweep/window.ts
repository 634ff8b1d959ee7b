// A window before and between its walks.
import type { Window } from '../../source/state.ts';
import { stageOfNewWalk } from './stage.ts';

export type Span = { from: number | null; to: number | null };

/** A window of which nothing was requested yet. */
export function openWindow({ from, to }: Span): Window {
  const stage = { name: 'normal' } as const;
  return { from, to, params: null, continuation: null, stage, splitCandidates: [], sentinels: [] };
}

/** The window with its walk not yet begun. */
export function startOver(window: Window): Window {
  return { ...window, params: null, continuation: null, stage: stageOfNewWalk(window.stage) };
}

/** The window without the sentinels among `ids`: only the others are still missing. */
export function withoutMet(window: Window, ids: ReadonlySet<string>): Window {
  return { ...window, sentinels: window.sentinels.filter(({ id }) => !ids.has(id)) };
}
