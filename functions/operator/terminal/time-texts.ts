// Lengths of time for people.

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `42 minutes`, `1 hour`, `3 days`: in the largest unit of which there are two, or one exactly. */
export function durationText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, length]) => ms >= 2 * length || ms === length) ?? ['second', 1_000];
  const count = Math.round(ms / unitMs);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `42 minutes ago`. */
export function agoText(ms: number): string {
  return `${durationText(ms)} ago`;
}
