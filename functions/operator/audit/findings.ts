// The kinds of findings, with their headings in the report.
import type { Place } from '../bridge/audit-copy.ts';

/** In the order of the report. */
export const FINDING_KINDS = [
  'head-contradicted',
  'checkpoint-missing',
  'day-removed',
  'checkpoint-altered',
  'day-not-sealed',
  'manifest-missing',
  'manifest-altered',
  'manifest-added',
  'settings-altered',
  'line-missing',
  'line-altered',
  'line-added',
  'line-unreadable',
  'object-unreadable',
  'whole-entry-missing',
  'whole-entry-altered',
  'open-line-missing',
  'open-line-added',
  'not-in-copy',
  'not-in-service',
  'line-unproven',
  'checkpoint-forged',
  'settings-missing',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

export type Finding = {
  kind: FindingKind;
  /** The affected day; null if there is none. */
  day: string | null;
  /** An event id, an object's key, or a checkpoint's number. */
  name: string;
  /** What is wrong, as a clause; empty if the heading says it. */
  how: string;
  place: Place | null;
  /** SHA-256 of the content of an altered line. */
  content?: string;
};

type Details = Partial<Pick<Finding, 'day' | 'how' | 'place' | 'content'>>;

export function finding(
  kind: FindingKind,
  name: string,
  { day = null, how = '', place = null, ...content }: Details = {},
): Finding {
  return { kind, name, day, how, place, ...content };
}

export const HEADINGS: Readonly<Record<FindingKind, string>> = {
  'head-contradicted': 'The chain was cut or rewritten: it does not have a head that was recorded',
  'checkpoint-missing': 'Checkpoints missing from the copy',
  'day-removed': 'Days whose checkpoint was removed',
  'checkpoint-altered': 'Checkpoints altered or added',
  'day-not-sealed': 'Days left out by the chain',
  'manifest-missing': 'Manifests missing',
  'manifest-altered': 'Manifests altered',
  'manifest-added': 'Manifests that no checkpoint knows',
  'settings-altered': 'Settings altered',
  'line-missing': 'Lines missing: sealed, but not in the copy',
  'line-altered': 'Lines altered: their content is not what was sealed',
  'line-added': 'Lines added: in the copy, but never sealed',
  'line-unreadable': 'Lines that are not events',
  'object-unreadable': 'Objects that cannot be read to their end',
  'whole-entry-missing': 'Entries too large for the bus: their object is missing',
  'whole-entry-altered': 'Entries too large for the bus: their object is altered',
  'open-line-missing': 'Lines missing from days not yet sealed',
  'open-line-added': 'Lines added to days not yet sealed',
  'not-in-copy': 'In the service, but not in the copy',
  'not-in-service': 'In the copy, but no longer in the service',
  'line-unproven': 'Lines that nothing proves',
  'checkpoint-forged': 'Checkpoints forged: added to the copy, and not part of the chain',
  'settings-missing': 'Settings missing: nothing proves what follows from them',
};

/** Findings that a replay of the event archive can repair. */
export const REPLAYED: ReadonlySet<FindingKind> = new Set<FindingKind>([
  'checkpoint-missing',
  'day-removed',
  'checkpoint-altered',
  'line-missing',
  'line-altered',
  'line-unreadable',
  'object-unreadable',
  'whole-entry-missing',
  'whole-entry-altered',
  'open-line-missing',
]);

/** By kind in the order of the report, then by day and name. */
export function inReportOrder(findings: readonly Finding[]): Finding[] {
  const rank = (kind: FindingKind): number => FINDING_KINDS.indexOf(kind);
  const textOf = ({ day, name, place }: Finding): string => [day, name, place?.key, place?.line].join('\0');
  return [...findings].sort((a, b) => rank(a.kind) - rank(b.kind) || (textOf(a) < textOf(b) ? -1 : 1));
}
