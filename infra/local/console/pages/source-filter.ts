// Which sources the table of the overview shows.
import type { SourceStatus } from '../messages.ts';

type Verdict = SourceStatus['verdict'];

/** What is asked for: words that all have to be found, and a state or all of them. */
export type SourceFilter = { text: string; verdict: Verdict | 'all' };

/** In the order of the status: the worst first. Names and reasons are searched, in any case. */
export function filtered(sources: readonly SourceStatus[], { text, verdict }: SourceFilter): SourceStatus[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return sources.filter((source) => {
    if (verdict !== 'all' && source.verdict !== verdict) return false;
    const searched = [source.sourceId, ...source.problems].join(' ').toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** How many there are of each state, in the order in which they are listed. */
export function countsOf(sources: readonly SourceStatus[]): [verdict: Verdict, count: number][] {
  const verdicts: Verdict[] = ['not fine', 'not known', 'fine'];
  return verdicts.map((verdict) => [verdict, sources.filter((source) => source.verdict === verdict).length]);
}
