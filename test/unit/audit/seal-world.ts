// The sealer's ports in memory. Every call is a step at which a test may kill or hold the invocation.
import { expect } from 'vitest';
import { settingsShaOf } from '../../../functions/audit/bucket-layout.ts';
import { type AuditCheckpoint, type AuditHead, checkpointSha256 } from '../../../functions/audit/checkpoint.ts';
import { readManifest, toManifest } from '../../../functions/audit/manifest.ts';
import type { TrailSegment } from '../../../functions/audit/ports.ts';
import { seal, type SealResult } from '../../../functions/audit/seal/seal.ts';
import type { SealInvocation } from '../../../functions/audit/seal/sealing.ts';
import { eventId } from '../../../functions/events/event-id.ts';
import { initialState } from '../../../functions/source/state.ts';
import type { PublishOutcome, TrailRecord } from '../../../functions/source/ports.ts';
import { readSourceSettings } from '../../../functions/source/settings.ts';
import type { SourceState } from '../../../functions/source/state.ts';
import { canonicalJson, sha256Hex } from '../../../functions/shared/json.ts';
import { silentLog } from '../../../functions/shared/log.ts';

export const SOURCE_ID = 'acme';
export const HOUR = 3_600_000;
export const at = (text: string): number => Date.parse(text);

export class Killed extends Error {}

/** Runs before and after each step: it returns, waits or throws. */
export type OnStep = (when: 'before' | 'after', step: string, count: number) => void | Promise<void>;

type Published = { id: string; data: AuditCheckpoint };

export type SealWorld = ReturnType<typeof createSealWorld>;

/** A source whose trail is on since 2026-11-02T08:00Z, the start of its last reconcile sweep too. */
export function createSealWorld() {
  const segments: TrailSegment[] = [];
  const objects = new Map<string, string>();
  const published: Published[] = [];
  const appended: TrailRecord[] = [];
  const begun = at('2026-11-02T08:00:00Z');
  const world = {
    segments,
    objects,
    published,
    appended,
    head: null as AuditHead | null,
    now: begun,
    username: 'admin@example.org' as string | null,
    outcome: { status: 'accepted' } as PublishOutcome,
    state: { ...initialState(begun), firstRunAt: begun, auditSince: begun } as SourceState | null,
    secretReads: 0,
    steps: [] as string[],

    /** Appends a segment to the trail, like a run of the poller. */
    append(day: string, ...names: string[]): void {
      const records = names.map((name) => aRecord(name, { day }));
      appended.push(...records);
      segments.push({ key: `audit#${day}#${segments.length}-${appended.length}`, day, records });
    },

    /** Completes a reconcile sweep that began at this instant, and moves the clock there. */
    reconciledAt(instant: string): void {
      const low = at(instant);
      if (world.state) world.state = { ...world.state, watermarks: { recent: low, settle: low, reconcile: low } };
      world.now = Math.max(world.now, low);
    },

    async seal(
      options: { onStep?: OnStep; changes?: Partial<SealInvocation>; settings?: object } = {},
    ): Promise<SealResult> {
      return await seal({ ...invocationOf(world, options.onStep, options.settings), ...options.changes });
    },

    /** Of manifests. */
    keys: () => [...objects.keys()].filter((key) => settingsShaOf(key) === null).toSorted(),
    checkpoints: (): AuditCheckpoint[] => distinct(published).map(({ data }) => data),
    /** Kind, day and amendment of each checkpoint on the bus. */
    story: () =>
      world.checkpoints().map(({ kind, day, amendment, entries }) => toWords({ kind, day, amendment, entries })),
  };
  return world;
}

function toWords({ kind, day, amendment, entries }: Pick<AuditCheckpoint, 'kind' | 'day' | 'amendment' | 'entries'>) {
  if (kind === 'begin') return 'begin';
  return kind === 'day' ? `${day}: ${entries}` : `${day} amendment ${amendment}: ${entries}`;
}

/** A record of the entry with this name. */
export function aRecord(name: string, changes: Partial<TrailRecord> = {}): TrailRecord {
  return { id: eventId(SOURCE_ID, name), sha256: sha256Hex(name), day: '2026-11-02', quarantined: false, ...changes };
}

export const SETTINGS = {
  sourceId: SOURCE_ID,
  baseUrl: 'https://api.example.org',
  timeZone: 'Europe/Amsterdam',
  secretId: 'acme-secret',
};

/** Parsed once per text, because the tests make thousands of invocations. */
const settingsWith = memoized((changes: object) => readSourceSettings({ ...SETTINGS, ...changes }, at('2026-11-02')));

function memoized<Result>(make: (input: object) => Result): (input: object) => Result {
  const made = new Map<string, Result>();
  return (input) => {
    const key = JSON.stringify(input);
    if (!made.has(key)) made.set(key, make(input));
    return made.get(key) as Result;
  };
}

type Step = <Result>(name: string, work: () => Result) => Promise<Result>;

function invocationOf(world: SealWorld, onStep: OnStep = () => {}, settings: object = {}): SealInvocation {
  let count = 0;
  const step: Step = async (name, work) => {
    count += 1;
    const mine = count;
    world.steps.push(name);
    await onStep('before', name, mine);
    const result = work();
    await onStep('after', name, mine);
    return result;
  };
  return {
    settings: settingsWith(settings),
    settingsText: JSON.stringify({ ...SETTINGS, ...settings }),
    settingsSha256: sha256Hex(canonicalJson({ ...SETTINGS, ...settings })),
    remainingMs: 60_000,
    requestId: 'request',
    clock: { now: () => world.now, sleep: async () => {}, random: () => 0 },
    log: silentLog,
    credentials: {
      read: () =>
        step('credentials.read', () => {
          world.secretReads += 1;
          const { username } = world;
          return { versionId: 'v1', credentials: username === null ? null : { username, password: 'secret' } };
        }),
    },
    state: { read: () => step('state.read', () => world.state) },
    trail: trailOf(world, step),
    chain: {
      readHead: () => step('chain.readHead', () => structuredClone(world.head)),
      replaceHead: (_sourceId, previous, next) =>
        step('chain.replaceHead', () => {
          const is = JSON.stringify(world.head);
          if (is !== JSON.stringify(previous)) return false;
          world.head = structuredClone(next);
          return true;
        }),
    },
    bucket: {
      get: (key) => step('bucket.get', () => world.objects.get(key) ?? null),
      list: (prefix) => step('bucket.list', () => world.keys().filter((key) => key.startsWith(prefix))),
      putOnce: (key, text) =>
        step(settingsShaOf(key) === null ? 'bucket.putOnce' : 'bucket.putOnce of settings', () => {
          if (world.objects.has(key)) return false;
          world.objects.set(key, text);
          return true;
        }),
    },
    bus: busOf(world, step),
  };
}

function busOf(world: SealWorld, step: Step): SealInvocation['bus'] {
  return {
    maxEntryBytes: 1_000_000,
    sizeOf: ({ detail }) => detail.length,
    publish: (events) =>
      step('bus.publish', () => {
        if (world.outcome.status === 'accepted')
          for (const { id, detail } of events)
            world.published.push({ id, data: (JSON.parse(detail) as { data: AuditCheckpoint }).data });
        return events.map(() => world.outcome);
      }),
  };
}

function trailOf(world: SealWorld, step: Step): SealInvocation['trail'] {
  return {
    firstDay: (_sourceId, from) =>
      step('trail.firstDay', () => {
        const days = world.segments.map(({ day }) => day).filter((day) => day >= (from ?? ''));
        return days.toSorted()[0] ?? null;
      }),
    read: (_sourceId, throughDay, fromDay = '') =>
      step('trail.read', () =>
        structuredClone(world.segments.filter(({ day }) => day >= fromDay && day <= throughDay)),
      ),
    remove: (_sourceId, gone) =>
      step('trail.remove', () => {
        const keys = new Set(gone.map(({ key }) => key));
        const left = world.segments.filter(({ key }) => !keys.has(key));
        world.segments.splice(0, Infinity, ...left);
      }),
  };
}

/** The published checkpoints by id. One that was published twice must have the same data. */
function distinct(published: readonly Published[]): Published[] {
  const byId = new Map<string, Published>();
  for (const checkpoint of published) {
    expect(byId.get(checkpoint.id) ?? checkpoint).toEqual(checkpoint);
    byId.set(checkpoint.id, checkpoint);
  }
  return [...byId.values()];
}

/** The bus, the bucket and the head prove that every record of a closed day is sealed once and has left the trail. */
export function expectProven(world: SealWorld): void {
  const checkpoints = world.checkpoints();
  for (const [index, checkpoint] of checkpoints.entries()) {
    const before = checkpoints[index - 1];
    expect(checkpoint.number).toBe(index + 1);
    expect(checkpoint.previousSha256).toBe(before === undefined ? null : checkpointSha256(before));
  }
  const last = checkpoints.at(-1);
  expect(world.head).toMatchObject({
    number: last?.number,
    sha256: last && checkpointSha256(last),
    pending: null,
    amending: null,
  });
  expectManifests(world, checkpoints);
  const closed = (day: string): boolean => day < (world.head?.nextDay ?? '');
  expect(world.segments.filter(({ day }) => closed(day))).toEqual([]);
  for (const [day, records] of Map.groupBy(world.appended, (record) => record.day))
    if (closed(day)) expect(sealedOf(world, day)).toEqual(linesOf(toManifest(records).text));
}

function expectManifests(world: SealWorld, checkpoints: readonly AuditCheckpoint[]): void {
  const named = checkpoints.flatMap(({ manifest }) => manifest ?? []);
  expect(named.toSorted()).toEqual(world.keys());
  for (const { manifest, digest, entries, quarantined, kind } of checkpoints) {
    const text = manifest === null ? '' : (world.objects.get(manifest) ?? '');
    if (kind === 'begin') expect([digest, entries]).toEqual([null, 0]);
    else expect({ digest, entries, quarantined }).toEqual(countsOf(toManifest(readManifest(text))));
  }
}

function countsOf({ digest, entries, quarantined }: ReturnType<typeof toManifest>) {
  return { digest, entries, quarantined };
}

/** The lines of all manifests of a day, duplicates included. */
function sealedOf(world: SealWorld, day: string): string[] {
  const keys = world.keys().filter((key) => key.includes(`/${day}/`));
  return keys.flatMap((key) => linesOf(world.objects.get(key) ?? '')).toSorted();
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
