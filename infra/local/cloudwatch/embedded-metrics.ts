// CloudWatch's embedded metric format: log lines of a function that are also metrics.
import type { Metric } from './alarm-definition.ts';

/** Values of a metric; `at` is in ms since 1970. */
export type Datum = Metric & { at: number; values: readonly number[] };

type Directive = { Namespace?: unknown; Dimensions?: unknown; Metrics?: unknown };
type Line = { _aws?: { Timestamp?: unknown; CloudWatchMetrics?: unknown } } & Record<string, unknown>;

/**
 * The metrics in a line, one per set of dimensions; none in any other line. As on AWS, a reference to a missing member
 * or one of the wrong type is no metric. The resolution of a metric has no effect.
 */
export function readEmbeddedMetrics(line: string): Datum[] {
  const read = line.includes('"_aws"') ? parse(line) : null;
  const { Timestamp, CloudWatchMetrics } = read?._aws ?? {};
  if (read === null || typeof Timestamp !== 'number') return [];
  return listOf(CloudWatchMetrics).flatMap((directive) =>
    readDirective(read, (directive ?? {}) as Directive, Timestamp),
  );
}

function readDirective(line: Line, { Namespace, Dimensions, Metrics }: Directive, at: number): Datum[] {
  if (typeof Namespace !== 'string') return [];
  const sets = listOf(Dimensions)
    .map((names) => readDimensions(line, listOf(names)))
    .filter((dimensions) => dimensions !== null);
  return listOf(Metrics).flatMap((metric) => {
    const name = String((metric as { Name?: unknown } | null)?.Name);
    const values = readValues(line[name]);
    if (values.length === 0) return [];
    return sets.map((dimensions) => ({ namespace: Namespace, name, dimensions, at, values }));
  });
}

/** Null if the line lacks one of them. The empty set counts: the metric without dimensions. */
function readDimensions(line: Line, names: readonly unknown[]): Metric['dimensions'] | null {
  const pairs = names.map((name) => [String(name), line[String(name)]] as const);
  return pairs.every((pair): pair is readonly [string, string] => typeof pair[1] === 'string')
    ? Object.fromEntries(pairs)
    : null;
}

function readValues(value: unknown): number[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.every((one) => typeof one === 'number') ? values : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line | null;
  } catch {
    return null;
  }
}
