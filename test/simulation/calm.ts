// A calm world: what the poller makes of its service and its settings, and of nothing else. What leaves the poller is
// recorded in four streams that must stay the same to the letter when its source is re-shaped; none depends on the
// number of awaits, or of calls to the table. No invariant is checked here: a rough world does that, and these services
// may well change in ways that lose entries.
import { createHash } from 'node:crypto';
import type { TransportRequest } from '../../functions/membership/transport.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import { createChance, oneChance } from './chance.ts';
import { drawCalmCircumstances } from './circumstances.ts';
import { pairsOf } from './invariants/continuations-kept.ts';
import { textOfError } from './invariants/no-secret.ts';
import { CALM } from './calm-life.ts';
import { live } from './life.ts';
import type { Run } from './runs.ts';
import { createWorldOf, storyOf } from './simulate.ts';
import type { Observer } from './world.ts';

export const STREAMS = ['requests', 'events', 'notices', 'quarantined'] as const;
export type Stream = (typeof STREAMS)[number];
/** Requests in the order in which they were sent; the others sorted. */
export type Record4 = Record<Stream, string[]>;

export type CalmReport = {
  seed: number;
  digests: Record<Stream, string>;
  /** Lines of each stream, entries of the log, runs. */
  counts: Record<Stream | 'entries' | 'runs', number>;
  /** Failures without a code: the poller itself is broken. */
  crashes: string[];
  story: string;
};

/** Lives through the calm world of a seed. */
export async function liveCalmly(seed: number): Promise<{ report: CalmReport; lines: Record4 }> {
  const circumstances = drawCalmCircumstances(oneChance(seed));
  const { observer, lines } = createRecord();
  const world = createWorldOf(seed, circumstances, { observer, isCalm: true });
  await live(world, circumstances, (name) => createChance(seed, `life/${name}`), CALM);
  for (const stream of STREAMS) if (stream !== 'requests') lines[stream].sort();
  const { book, runs, service } = world;
  const report = {
    seed,
    digests: ofEach((stream) => hash(lines[stream].join('\n'))),
    counts: { ...ofEach((stream) => lines[stream].length), entries: book.entries, runs: runs.all.length },
    crashes: runs.all.flatMap(({ error }) =>
      error === null || error instanceof BridgeError ? [] : [textOfError(error)],
    ),
    story: storyOf(service.personality, circumstances, world),
  };
  return { report, lines };
}

function createRecord(): { observer: Observer; lines: Record4 } {
  const lines: Record4 = ofEach(() => []);
  return {
    lines,
    observer: {
      onRequest: (run, request) => void lines.requests.push(toRequestLine(run, request)),
      onTaken: ({ source, detailType, detail }) => {
        const stream = source === 'membership.bridge' ? 'notices' : 'events';
        lines[stream].push(`${detailType} ${toLastingDetail(detail)}`);
      },
      onQuarantined: ({ id, reason, entry, metadata }) =>
        void lines.quarantined.push(`${id} ${reason} ${entry} ${toLasting(metadata)}`),
    },
  };
}

function toRequestLine({ number }: Run, { method, path, query = [] }: TransportRequest): string {
  const parameters = pairsOf(query).map(([name, value]) => `${name}=${shortened(value)}`);
  return [`run ${number}`, method, path, ...parameters].join(' ');
}

const MAX_VALUE = 60;

function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `${value.slice(0, 30)}…${hash(value)}`;
}

/** `{"metadata":…,"data":…}`, the data to the letter: its numbers may have more digits than JavaScript keeps. */
function toLastingDetail(detail: string): string {
  const middle = detail.indexOf(',"data":');
  return `${toLasting(detail.slice('{"metadata":'.length, middle))} ${detail.slice(middle + ',"data":'.length, -1)}`;
}

/** Metadata without what tells of the run that wrote it, in an order of its own. */
function toLasting(metadata: string): string {
  const lasting = Object.entries(JSON.parse(metadata) as Record<string, unknown>)
    .filter(([name]) => name !== 'observedAt' && name !== 'requestId')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(lasting));
}

function ofEach<Value>(valueOf: (stream: Stream) => Value): Record<Stream, Value> {
  return Object.fromEntries(STREAMS.map((stream) => [stream, valueOf(stream)])) as Record<Stream, Value>;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
