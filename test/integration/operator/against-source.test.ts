// `audit verify --against-source` as a process, against the local membership service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ActionLogDetail, BridgeEvent } from '../../../functions/events/event.ts';
import {
  createMemoryBus,
  createMemoryLedger,
  createMemoryStore,
  noQuarantine,
} from '../../../functions/operator/audit/service/memory-ports.ts';
import { poll } from '../../../functions/poller/poll.ts';
import { createSessions } from '../../../functions/poller/session.ts';
import { readSourceSettings } from '../../../functions/source/settings.ts';
import { systemClock } from '../../../functions/shared/clock.ts';
import { sha256Hex } from '../../../functions/shared/json.ts';
import { silentLog } from '../../../functions/shared/log.ts';
import type { MembershipService } from '../../../infra/membership-service/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type AnEvent, anEvent, chain, envelope, put, sealDay, SOURCE } from '../../unit/operator/audit/a-copy.ts';
import { started } from '../infra/membership-service/caller.ts';

const COMMAND = join(import.meta.dirname, '../../../functions/operator/membership-bridge.mjs');
const DAY_MS = 86_400_000;
const TIME_ZONE = 'Europe/Istanbul';

/** Every event that the poller makes of the service's log. */
async function eventsOf({ url, username, password }: MembershipService): Promise<AnEvent[]> {
  const settings = readSourceSettings({
    sourceId: SOURCE,
    baseUrl: url,
    timeZone: TIME_ZONE,
    secretId: 's',
    startFrom: 'beginning',
  });
  const credentials = { read: async () => ({ versionId: 'v', credentials: { username, password } }) };
  const session = createSessions({ clock: systemClock, credentialsFor: () => credentials })(settings);
  const events: AnEvent[] = [];
  await poll({
    settings,
    session,
    remainingMs: 55_000,
    owner: 'o',
    requestId: 'r',
    traceHeader: undefined,
    clock: systemClock,
    log: silentLog,
    store: createMemoryStore(),
    ledger: createMemoryLedger(),
    quarantine: noQuarantine,
    auditTrail: null,
    bus: createMemoryBus((event) => events.push(toEvent(event))),
  });
  return events;
}

function toEvent({ id, detail, detailType, source, time }: BridgeEvent): AnEvent {
  const { metadata } = JSON.parse(detail) as ActionLogDetail;
  const line = envelope(source, detailType, time.toISOString(), detail);
  return { id, sha256: metadata.entrySha256, day: time.toISOString().slice(0, 10), line };
}

/** A copy in which every day with an event is sealed, for whoever reads as `username`. */
async function sealed(events: readonly AnEvent[], username: string): Promise<string> {
  const copy = { objects: new Map<string, string>(), checkpoints: [], head: { number: 0, sha256: '' } };
  put(
    copy,
    'events/a.gz',
    events.map(({ line }) => line),
  );
  const days = [...new Set(events.map(({ day }) => day))].toSorted();
  const now = new Date(Date.now() - DAY_MS).toISOString();
  const begin = { since: now, firstDay: days[0], userSha256: sha256Hex(username) };
  chain(copy, { kind: 'begin', ...begin });
  for (const day of days)
    sealDay(
      copy,
      day,
      0,
      events.filter((event) => event.day === day).map(({ id, sha256 }) => ({ id, sha256, quarantined: false })),
      begin,
    );
  const folder = await temporaryFolder();
  for (const [key, text] of copy.objects) {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), gzipSync(text));
  }
  return folder;
}

async function verify(
  service: MembershipService,
  { folder, password = service.password, args = [] }: { folder: string; password?: string; args?: string[] },
): Promise<{ code: number | null; out: string; err: string }> {
  const options = [
    '--folder',
    folder,
    '--source',
    SOURCE,
    '--against-source',
    '--base-url',
    service.url,
    '--time-zone',
    TIME_ZONE,
  ];
  const env = { ...process.env, MEMBERSHIP_USERNAME: service.username, MEMBERSHIP_PASSWORD: password };
  const child = spawn(process.execPath, [COMMAND, 'audit', 'verify', ...options, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...texts };
}

const history = { entries: 300, days: 10 };

describe('audit verify --against-source', () => {
  it('finds nothing where the copy has what the service gives, read with credentials from the environment', async () => {
    const service = await started({ history });
    const folder = await sealed(await eventsOf(service), service.username);

    const { code, out, err } = await verify(service, { folder });

    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Read again as the user of the bridge with \d+ requests/) as string,
    });
    expect(out + err).not.toContain(service.password);
  });

  it('names an entry that the bridge never published, and one that the service never had', async () => {
    const service = await started({ history });
    const events = await eventsOf(service);
    const lost = events[100]!;
    const invented = { ...events[120]!, id: lost.id.replaceAll(/\d/g, '7'), sha256: sha256Hex('invented') };
    const line = envelope('membership.actionlog', 'MemberChanged', `${invented.day}T00:00:00Z`, '{}');
    const copy = [...events.filter(({ id }) => id !== lost.id), { ...invented, line }];

    const { code, out } = await verify(service, { folder: await sealed(copy, 'somebody else') });

    expect(code).toBe(1);
    expect(out).toContain(`In the service, but not in the copy (1)\n  ${lost.day}  ${lost.id}`);
    expect(out).toContain('as another user than the bridge');
  });

  it('says from when on the service still has entries, and finds nothing in what it has lost', async () => {
    const service = await started({ history });
    const older = [anEvent('2020-01-01', 1), anEvent('2020-01-02', 2)];
    const folder = await sealed([...older, ...(await eventsOf(service))], service.username);

    const { code, out } = await verify(service, { folder });

    expect(code).toBe(0);
    expect(out).toMatch(/The oldest entry that the service gave is of \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(out).toContain('entries of the copy are as old or older');
  });

  it('ends with 2 where the credentials are refused, after one login', async () => {
    const service = await started({ history });
    const folder = await sealed(await eventsOf(service), service.username);
    const before = service.requests.token;

    const { code, err } = await verify(service, { folder, password: 'wrong' });

    expect(code).toBe(2);
    expect(err).toContain('The service does not let you read it');
    expect(service.requests.token - before).toBe(1);
  });

  it('ends with 2 without credentials and without a terminal to ask at', async () => {
    const service = await started();

    const { code, err } = await verify(service, { folder: await temporaryFolder(), password: '' });

    expect(code).toBe(2);
    expect(err).toContain('MEMBERSHIP_USERNAME and MEMBERSHIP_PASSWORD');
  });
});
