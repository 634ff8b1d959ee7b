// Faults of the world around the bridge, planned on the command line: which one, and from when to when.

/** What may fail, and how it is told. */
export const FAULT_NAMES = ['service-down', 'login-refused', 'consumers-fail'] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** Times in milliseconds since the ticks began. */
export type PlannedFault = { name: FaultName; fromMs: number; toMs: number };

const EXAMPLE = 'service-down@5s-30s';
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Reads `NAME@FROM-TO`. Throws a RangeError that completes a line beginning with the option as written. */
export function readFault(text: string): PlannedFault {
  const [, written = '', from = '', to = ''] = /^([^@]*)@([^-]*)-([^-]*)$/.exec(text) ?? [];
  if (written === '') throw new RangeError(`is no fault with its time; write one such as ${EXAMPLE}.`);
  const name = FAULT_NAMES.find((known) => known === written);
  if (name === undefined)
    throw new RangeError(`names a fault that is not known; write one of ${FAULT_NAMES.join(', ')}.`);
  const [fromMs, toMs] = [readTime(from), readTime(to)];
  if (fromMs === null || toMs === null)
    throw new RangeError(`has a time that cannot be read; write times since the start, such as ${EXAMPLE}.`);
  if (fromMs >= toMs) throw new RangeError('ends before it has begun; write the earlier time first.');
  return { name, fromMs, toMs };
}

/** What is wrong with a plan as a whole, one line each: two of the same fault at once, one that the run does not live to see. */
export function planProblems(plan: readonly PlannedFault[], seconds: number | null): string[] {
  const twice = plan.filter((fault, index) => plan.slice(0, index).some((other) => overlap(fault, other)));
  const late = plan.filter(({ fromMs }) => seconds !== null && fromMs >= seconds * 1000);
  return [
    ...twice.map(({ name }) => `--fault ${name} is given twice for the same time; leave a while between the two.`),
    ...late.map(
      ({ name }) => `--fault ${name} begins only after --seconds ${seconds} have passed; let it begin earlier.`,
    ),
  ];
}

function overlap(left: PlannedFault, right: PlannedFault): boolean {
  return left.name === right.name && left.fromMs <= right.toMs && right.fromMs <= left.toMs;
}

function readTime(text: string): number | null {
  const [, value, unit = ''] = /^(\d{1,6}(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  return value === undefined ? null : Math.round(Number(value) * (UNITS_MS[unit] ?? 0));
}
