// The report of a batch by trait: what each value of it met with.
import { TRAITS, type Trait, type Traits } from './traits.ts';

/** What the table needs of a world. */
export type World = {
  traits: Traits;
  entries: number;
  /** Lost in a span that GapDetected told of, and lost without a word. */
  announced: number;
  lost: number;
  /** Entries under more ids than A11 and A31 allow. */
  underTwoIds: number;
  isStuck: boolean;
};

/** A line for each value that a world has, by trait and value; at most 100 columns. */
export function traitTable(worlds: readonly World[]): string[] {
  const head = line(['trait', 'value'], ['worlds', 'entries', 'lost, said', 'lost silently', 'two ids', 'stuck']);
  return [head, ...TRAITS.flatMap((trait) => rowsOf(trait, worlds))];
}

function rowsOf(trait: Trait, worlds: readonly World[]): string[] {
  const byValue = Map.groupBy(worlds, ({ traits }) => traits[trait]);
  return [...byValue]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, some]) => line([trait, value], figuresOf(some)));
}

function figuresOf(worlds: readonly World[]): string[] {
  const sum = (figure: (world: World) => number): string =>
    worlds.reduce((total, world) => total + figure(world), 0).toLocaleString('en-GB');
  return [
    sum(() => 1),
    sum(({ entries }) => entries),
    sum(({ announced }) => announced),
    sum(({ lost }) => lost),
    sum(({ underTwoIds }) => underTwoIds),
    sum(({ isStuck }) => Number(isStuck)),
  ];
}

const WIDTHS = [7, 12, 11, 14, 8, 6];

function line([trait = '', value = '']: readonly string[], figures: readonly string[]): string {
  return `${trait.padEnd(18)}${value.padEnd(24)}${figures.map((each, index) => each.padStart(WIDTHS[index] ?? 0)).join('')}`;
}
