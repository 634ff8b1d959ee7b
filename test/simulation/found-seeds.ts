// Seeds that have shown a bug, with a line on it. They run before all others.
// All of these were found before each call drew for itself (chance.ts). They draw other worlds since, and no longer
// replay what they found: the unit tests of each bug do. What is found from now on replays.

export const FOUND_SEEDS: Readonly<Record<number, string>> = {
  1713: 'a run that died between two writes left a recent sweep set back to the slow clock of the service, and live sweeps ahead of it',
  5021: 'a page of one stamp in a log that ascends was taken for the end of a walk in a log that descends',
  4000414:
    'a second of more entries than a run can read, of a service whose walks go round in circles, was begun again for ever',
  6000409: 'a gap with an open end was reported once and not again when it had grown',
  8000387: 'a second of tiny pages that were all known was taken for a circle and begun again with every run',
  9000084:
    'a window from the repeated hour of an autumn night to now was given up as a whole, entries dated in the future with it',
  10000194: 'sentinels under ids refuted meanwhile counted as missing: a false gap was reported',
  12000171: 'the second copies of an import without ids that straddled pages were given up beyond twenty of a page',
  14000087: 'a second that people wrote to while a walk in circles was read gave one entry up to 24 ids',
  14000456:
    'filters by whole days that exclude the day of startDate showed the reconcile sweep a day less than it looks back',
  33000026: 'where a span was given up, entries dated beyond now were left out of the sweep that had seen it',
  33000033:
    'a page of one entry, shown again and again by a walk in a circle, was taken for pages that begin with the last entry of the one before',
  37000236:
    'a sweep that was begun in a run with no request left did not learn that the clock of the service is slow (S26)',
  31000257:
    'a repeated hour of more entries than a run can read, some without ids, was begun again for ever, and all that came later waited',
  43000154:
    'the checker took a low for one that goes back that was set to the clock of the service, which had moved on before it was written',
  43000340:
    'a second of more pages than a run can read, in walks that turn in a circle, was read round and round for ever',
  43000453: 'the same, of a service that takes no larger pages',
  43000499:
    'filters by whole days that leave out those of their bounds hid the parts of a window that was cut where an earlier run had come to',
  47000316:
    'the second of two identical copies on a page was waited for where others showed the copies one by one: a gap was announced that was none',
  15000036: 'a second of a walk in circles had grown between two readings: each of its entries counted as its own copy',
};
