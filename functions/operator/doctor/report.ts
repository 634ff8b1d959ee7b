// The findings as text of 80 columns, or as JSON. Pure. It has names of fields, stamps and counts, and no values.
import { printable } from '../../shared/printable.ts';
import { rows, wrapped } from '../terminal/text-layout.ts';
import { adviceOn, settingsFor, type WrittenSettings } from './advice.ts';
import { MAX_REQUESTS } from './exchange.ts';
import { factsOf } from './facts/facts.ts';
import { findingsOf, type Finding } from './findings/findings.ts';
import type { Verdict } from './findings/said.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { Probing } from './probe.ts';

export type Diagnosis = {
  baseUrl: string;
  requests: number;
  /** False where the service stopped answering before everything was asked. */
  complete: boolean;
  findings: Finding[];
  advice: string[];
  /** The settings of the source, to copy into a file. */
  settings: WrittenSettings;
};

export function diagnose(
  probing: Probing,
  { written, settings }: { written: WrittenSettings; settings: SourceSettings },
): Diagnosis {
  const facts = factsOf(probing, settings);
  return {
    baseUrl: settings.baseUrl,
    requests: probing.requests,
    complete: probing.stopped === null,
    findings: findingsOf(facts),
    advice: adviceOn(facts),
    settings: settingsFor(written, facts),
  };
}

const TITLES: Readonly<Record<Verdict, string>> = {
  differs: 'Look at these assumptions (docs/membership-service.md)',
  holds: 'These hold, as far as was seen',
  unknown: 'Unknown',
};

export function toText({ baseUrl, requests, findings, advice, settings }: Diagnosis): string {
  const section = (title: string, lines: string[]): string[] => (lines.length === 0 ? [] : ['', `${title}:`, ...lines]);
  const lines = [
    `${printable(baseUrl)}: ${requests} of at most ${MAX_REQUESTS} requests, nothing written.`,
    ...(['differs', 'holds', 'unknown'] as const).flatMap((verdict) =>
      section(TITLES[verdict], findingLines(findings, verdict)),
    ),
    ...section(
      'Advice',
      advice.flatMap((text) => item(text)),
    ),
    ...section('Settings to copy', JSON.stringify(settings, null, 2).split('\n').map(printable)),
  ];
  return `${lines.join('\n')}\n`;
}

function findingLines(findings: readonly Finding[], verdict: Verdict): string[] {
  const found = findings.filter((finding) => finding.verdict === verdict);
  if (found.length === 0) return [];
  return rows(
    found.map(
      ({ assumption, about, sentences }) =>
        [` ${assumption}`, printable([`${capital(about)}.`, ...sentences].join(' '))] as const,
    ),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function item(text: string): string[] {
  const [first = '', ...rest] = wrapped(printable(text), '  ');
  return [`- ${first.slice(2)}`, ...rest];
}
