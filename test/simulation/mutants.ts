// The algorithm's named mutations: each takes away one thing that keeps entries from being lost, doubled, or read for ever.
// `find` must stand in the source exactly once; where it no longer does, the run of mutants fails and names it.

export type Edit = { file: string; find: string; replace: string };
export type Mutant = {
  name: string;
  edits: readonly Edit[];
  /** Why no world can catch it. Such a mutant is listed, and must go uncaught. */
  uncaughtBecause?: string;
};

const inPoller = (file: string, name: string, find: string, replace: string): Mutant => ({
  name,
  edits: [{ file: `functions/poller/${file}`, find, replace }],
});

export const MUTANTS: readonly Mutant[] = [
  inPoller(
    'walk.ts',
    'cursor before publish',
    '  const accepted = await acceptPage(run, begun.sweep, hand.walk, answer.page);',
    `  const past = continuationOf(run, answer.page, window.continuation).value;
  if (past !== null) {
    const moved = { ...window, asked: answer.asked, continuation: past };
    run.state = { ...run.state, cursor: { ...begun.sweep, windows: [...begun.sweep.windows.slice(0, -1), moved] } };
    await run.store.save(run.lease, run.state);
  }
  const accepted = await acceptPage(run, begun.sweep, hand.walk, answer.page);`,
  ),
  inPoller(
    'publish-entries.ts',
    'ledger before publish',
    '  const outcomes = await run.bus.publish(',
    '  await run.ledger.append(group.map(({ entry }) => entry));\n  const outcomes = await run.bus.publish(',
  ),
  inPoller(
    'publish-entries.ts',
    'audit trail after the ledger',
    '  if (trail.length > 0) await run.auditTrail?.append(run.settings.sourceId, trail);\n  await run.ledger.append(settled.map(({ entry }) => entry));',
    '  await run.ledger.append(settled.map(({ entry }) => entry));\n  if (trail.length > 0) await run.auditTrail?.append(run.settings.sourceId, trail);',
  ),
  inPoller('ledger-view.ts', 'ledger not written', '    await ledger.append(sourceId, added);', '    void ledger;'),
  inPoller('window.ts', 'no lookback', 'const from = low - context.settings.lookbackMs[level];', 'const from = low;'),
  inPoller(
    'walk-end.ts',
    'a short page is the end',
    '  if (page.continued) return decideContinued(page);',
    "  if (page.entries < page.pageSize) return 'end';\n  if (page.continued) return decideContinued(page);",
  ),
  inPoller(
    'walk-end.ts',
    'the end only without a continuation',
    "  return page.barren < barrenPagesToEnd(page) ? 'next' : 'barrenEnd';",
    "  return 'next';",
  ),
  inPoller(
    'walk-end.ts',
    'the first barren page is the end',
    "  if (page.barren === 0) return 'next';",
    "  if (page.barren === 0) return 'next';\n  if (page.barren > 0) return 'barrenEnd';",
  ),
  {
    name: 'low from the newest stamp',
    edits: [
      {
        file: 'functions/poller/accept-page.ts',
        find: '  rememberPage(walk, entries);',
        replace: `  rememberPage(walk, entries);
  const newest = Math.max(0, ...entries.map(({ stamp }) => stamp?.instant ?? 0), (run as any).newest ?? 0);
  Object.assign(run, { newest });`,
      },
      {
        file: 'functions/poller/lanes.ts',
        find: '    watermarks: lowsAfter(run.state.watermarks, sweep),',
        replace:
          '    watermarks: lowsAfter(run.state.watermarks, { ...sweep, startedAt: (run as any).newest || sweep.startedAt }),',
      },
    ],
  },
  inPoller(
    'window.ts',
    'low from the end of the sweep',
    'Math.max(lows[level], sweep.startedAt)',
    'Math.max(lows[level], sweep.startedAt + 600_000)',
  ),
  {
    name: 'no fence',
    edits: [
      {
        file: 'functions/aws/state-store.ts',
        find: "const EPOCH_IS_OURS = '#epoch = :epoch';",
        replace: "const EPOCH_IS_OURS = 'attribute_not_exists(#nothing)';",
      },
      {
        file: 'functions/aws/state-store.ts',
        find: "const NOT_COMPLETED = '#owner = :owner';",
        replace: "const NOT_COMPLETED = 'attribute_not_exists(#nothing)';",
      },
    ],
  },
  inPoller('walk-end.ts', 'no bisection', "  return entries < longestBefore ? 'end' : 'cut';", "  return 'end';"),
  inPoller(
    'ask-page.ts',
    'a continuation in another query',
    'return { page: await send(run, window.asked, window.continuation), asked: window.asked };',
    `const asked = toAsked(window, { form: filterFormOf(run.state.learned), pageSize: run.settings.pageSize }, run);
    const later = { ...asked, startDate: asked.startDate === null ? null : asked.startDate.replace(/^./, '1') };
    return { page: await send(run, later, window.continuation), asked: later };`,
  ),
  inPoller(
    'twins.ts',
    'twins counted over pages',
    "  return inWalk > copies ? { decision: 'ask' } : { decision: 'count', copies };",
    "  return { decision: 'count', copies: Math.max(copies, inWalk) };",
  ),
  inPoller(
    'twins.ts',
    'twins over pages never asked for',
    "  return inWalk > copies ? { decision: 'ask' } : { decision: 'count', copies };",
    "  return { decision: 'count', copies };",
  ),
  inPoller(
    'walk.ts',
    'a repeated token is the end',
    "  const decision = isRound ? 'barrenEnd' : decide(run, hand, read, value);",
    "  const decision = value !== null && value === read.window.continuation ? 'end' : decide(run, hand, read, value);",
  ),
  inPoller(
    'window.ts',
    'an endDate of now',
    'windows: [openWindow({ from, to: null })], runs: 0 };',
    'windows: [openWindow({ from, to: now })], runs: 0 };',
  ),
  inPoller('sweep-in-hand.ts', 'resumed without ids', 'top.continuation === null || walk.allNamed', 'true'),
  inPoller(
    'lanes.ts',
    'a crash between two clocks',
    '      if (sweep.startedAt < written.startedAt) await run.store.save(run.lease, stateToStore(run));\n',
    '',
  ),
  inPoller(
    'mend-window.ts',
    'a circle is never cut',
    '  return top.restarts >= MAX_RESTARTS;',
    '  return top.restarts < 0;',
  ),
  inPoller('walk.ts', 'a circle never comes round', 'closesCircle(circle, read.accepted)', 'false'),
  inPoller(
    'mend-window.ts',
    'a part that shows nothing is empty',
    'toWindows(cut, met,',
    'toWindows(cut, hand.walk.witnesses,',
  ),
  inPoller('walk.ts', 'a page of one stamp descends', ' || first === last) return false;', ') return false;'),
  {
    ...inPoller(
      'accept-page.ts',
      'a page that comes again is told by half of it',
      'unnamed.length > 0 && rememberDigest(walk, entries)',
      'rememberDigest(walk, unnamed)',
    ),
    uncaughtBecause: 'two pages with the same two entries without ids, and others with: page-taken-in.test.ts has them',
  },
  inPoller(
    'publish-entries.ts',
    'what the bus refuses is dropped',
    'for (const { item, code, message } of refused) await keepInQuarantine(run, item, { reason: code, message });',
    '',
  ),
  inPoller('publish-entries.ts', 'what the bus does not take is passed over', '  failOnRest(outcomes);\n}', '}'),
  inPoller(
    'trouble.ts',
    'no breaker',
    '  return { secretVersion, at: clock.now() };',
    '  return state.breaker && { secretVersion, at: clock.now() };',
  ),
  inPoller(
    'window.ts',
    'the ledger forgets within an hour',
    'LEDGER_LIFE_MS = 14 * 24 * 3_600_000',
    'LEDGER_LIFE_MS = 3_600_000',
  ),
  {
    name: 'the first entry of a batch speaks for all',
    edits: [
      {
        file: 'functions/aws/events/event-bus.ts',
        find: 'return batch.map((_, index) => judgeEntry(Entries[index]));',
        replace: 'return batch.map(() => judgeEntry(Entries[0]));',
      },
    ],
  },
  {
    name: 'a password in an error',
    edits: [
      {
        file: 'functions/membership/token-request.ts',
        find: "asked: 'a token',",
        replace: 'asked: `a token with ${password}`,',
      },
    ],
  },
];
