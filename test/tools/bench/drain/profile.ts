// Processor time by source file: the samples of a profile, with the bundle's source map.
import { readFile, realpath } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number };
type Profile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

export type Share = { part: string; ms: number; share: number };

/** Time by part, the largest first, without waiting. `share` is of the working time. */
export async function readProfile(profileFile: string, bundleFile: string): Promise<Share[]> {
  const profile = JSON.parse(await readFile(profileFile, 'utf8')) as Profile;
  const map = new SourceMap(JSON.parse(await readFile(`${bundleFile}.map`, 'utf8')) as SourceMapPayload);
  // Node uses a module's real path.
  const loadedFile = await realpath(bundleFile);
  const partOfNode = new Map(profile.nodes.map(({ id, callFrame }) => [id, partOf(callFrame, map, loadedFile)]));
  const parentOf = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const ms = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const part = partWithin(sample, partOfNode, parentOf);
    if (part === null) continue;
    ms.set(part, (ms.get(part) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1_000);
  }
  const total = [...ms.values()].reduce((sum, value) => sum + value, 0);
  return [...ms]
    .map(([part, value]) => ({ part, ms: value, share: value / total }))
    .sort((left, right) => right.ms - left.ms);
}

const IDLE = '(idle)';

/** Time inside Node and V8 counts for the caller; null for waiting. */
function partWithin(sample: number, parts: ReadonlyMap<number, string | null>, parentOf: ReadonlyMap<number, number>) {
  for (let id: number | undefined = sample; id !== undefined; id = parentOf.get(id)) {
    const part = parts.get(id);
    if (part === IDLE) return null;
    if (typeof part === 'string') return part;
  }
  return 'Node itself (sockets, timers, promises)';
}

function partOf({ functionName, url, lineNumber, columnNumber }: Frame, map: SourceMap, bundleFile: string) {
  if (functionName === '(idle)') return IDLE;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (!url.endsWith(bundleFile)) return null;
  const entry = map.findEntry(lineNumber, columnNumber);
  const { originalSource: source = '' } = 'originalSource' in entry ? entry : {};
  return nameOf(source);
}

/** The path of our file, or the name of a package. */
function nameOf(source: string): string {
  const path = source.replace(/^(?:file:\/\/)?(?:.*node_modules\/|(?:\.\.\/)+)/, '');
  if (path === '') return 'the bundle itself';
  return path.startsWith('functions/') ? path : path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}
