// Everything that the answers show. Pure.
import type { SourceSettings } from '../../../source/settings.ts';
import type { Exchange, Login } from '../exchange.ts';
import { clockFacts, type ClockFacts } from './clock.ts';
import { continuationFacts, type ContinuationFacts } from './continuation.ts';
import { fieldFacts, type FieldFacts } from './fields.ts';
import { filterFacts, type FilterFacts } from './dates/filters.ts';
import { meet } from './met.ts';
import { pageFacts, type PageFacts } from './pages.ts';

export type Facts = {
  settings: SourceSettings;
  login: Login;
  continuation: ContinuationFacts;
  fields: FieldFacts;
  clock: ClockFacts;
  filters: FilterFacts;
  pages: PageFacts;
};

export function factsOf(
  { login, exchanges }: { login: Login; exchanges: readonly Exchange[] },
  settings: SourceSettings,
): Facts {
  const met = meet(exchanges, settings);
  return {
    settings,
    login,
    continuation: continuationFacts(met),
    fields: fieldFacts(met),
    clock: clockFacts(met),
    filters: filterFacts(met),
    pages: pageFacts(met),
  };
}
