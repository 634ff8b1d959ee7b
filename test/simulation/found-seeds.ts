// Seeds that have shown a bug, with a line on it. They run before all others.

export const FOUND_SEEDS: Readonly<Record<number, string>> = {
  630001: 'in walks that go in circles, a recount counted one entry with an id once for each page that showed it',
  2004: 'a page of entries with the ids, times and actions of earlier ones counted as no progress (A31)',
  13000080: 'of a second with more entries than are ever shown, the trail lacks one that a dying run published',
  8000409: 'two entries of the same id, time, action and content count as one where no page shows both (A31)',
  7000399: 'the next page of a service that keeps the place was lost with a page that a run had no time to take',
  7000090:
    'of two entries with the same id, time and action, the audit trail lacks one that a dying run published (A31)',
};
