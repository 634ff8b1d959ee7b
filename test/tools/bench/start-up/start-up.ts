// How large the poller's bundle is, and how long a new process takes to load it, against the clients that it cannot do without.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '../../../../infra/local/reload/bundle.ts';
import { NoFigures } from '../gate.ts';
import { median } from '../quantiles.ts';
import { loadNow } from '../surroundings.ts';

export type StartUpFigures = {
  pairs: number;
  /** Medians, in ms. */
  pollerMs: number;
  clientsMs: number;
  /** The clients with undici loaded later, as the poller does it. */
  clientsLazilyMs: number;
  /** Poller / clients; the middle one of the pairs' own ratios. */
  ofClients: number;
  ofClientsLazily: number;
  pollerBytes: number;
  clientsBytes: number;
  load: string;
};

/** In the order in which they are loaded within a round; every second round goes the other way. */
const ENTRIES = {
  poller: 'functions/poller/handler.ts',
  clients: 'test/tools/bench/start-up/clients-alone.ts',
  clientsLazily: 'test/tools/bench/start-up/clients-lazily.ts',
} as const;
type Name = keyof typeof ENTRIES;
const NAMES = Object.keys(ENTRIES) as Name[];

/** Loads each bundle in `pairs` new processes, in turn. Rejects with NoFigures where one cannot be bundled or has no handler. */
export async function measureStartUp(pairs: number): Promise<StartUpFigures> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'membership-event-bridge-'));
  started.defer(async () => await rm(folder, { recursive: true, force: true }));
  const bytes = {} as Record<Name, number>;
  for (const name of NAMES) bytes[name] = await writeBundle(name, fileOf(folder, name));
  const times: Record<Name, number>[] = [];
  // The first round reads the files from the disk, and is left out.
  for (let round = 0; round <= pairs; round += 1) {
    const order = round % 2 === 0 ? NAMES : NAMES.toReversed();
    const found = Object.fromEntries(order.map((name) => [name, loadMs(fileOf(folder, name))])) as Record<Name, number>;
    if (round > 0) times.push(found);
  }
  const of = (name: Name): number => median(times.map((round) => round[name]));
  const ratio = (name: Name): number => median(times.map((round) => round.poller / round[name]));
  return {
    pairs,
    pollerMs: of('poller'),
    clientsMs: of('clients'),
    clientsLazilyMs: of('clientsLazily'),
    ofClients: ratio('clients'),
    ofClientsLazily: ratio('clientsLazily'),
    pollerBytes: bytes.poller,
    clientsBytes: bytes.clients,
    load: loadNow(),
  };
}

function fileOf(folder: string, name: Name): string {
  return join(folder, name, 'index.js');
}

async function writeBundle(name: Name, file: string): Promise<number> {
  const folder = dirname(file);
  const bundled = await bundle(ENTRIES[name], folder);
  if ('problems' in bundled) throw new NoFigures(`${ENTRIES[name]} cannot be bundled: ${bundled.problems.join(' ')}`);
  await mkdir(folder);
  for (const [fileName, content] of bundled.files) await writeFile(join(folder, fileName), content);
  return bundled.files.get('index.js')?.length ?? 0;
}

const LOAD = `const from = performance.now();
const names = Object.keys(require(process.argv[1]));
console.log(JSON.stringify({ ms: performance.now() - from, names }));`;

/** The time that a new process takes to load the file, without the start of Node itself. */
function loadMs(file: string): number {
  const options = ['--enable-source-maps', '--max-old-space-size=230', '-e', LOAD, file];
  const { ms, names } = JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as {
    ms: number;
    names: string[];
  };
  if (names.length === 0) throw new NoFigures(`${file} exports nothing.`);
  return ms;
}
