// The draws of traits, without a world.
import { describe, expect, it } from 'vitest';
import { chancesOf } from '../chance.ts';
import { drawWorld } from '../simulate.ts';
import { drawNet, WRONG_ENDS } from './net.ts';
import { traitTable, type World } from './table.ts';
import { TRAITS, traitsOf, type Trait, type Traits } from './traits.ts';

const SEEDS = Array.from({ length: 3_000 }, (_, index) => index + 1_001);
const PAGED = { continuation: { kind: 'resumable' } } as Parameters<typeof drawNet>[1];

const drawn = SEEDS.map((seed) => traitsOf(drawWorld(seed)));
const valuesOf = (trait: Trait): string[] => [...new Set(drawn.map((traits) => traits[trait]))].toSorted();

describe('the traits of a world', () => {
  it.each<[Trait, string[]]>([
    [
      'continuation',
      ['cyclic', 'expiring', 'inclusive', 'neverNull', 'none', 'none, shows an end', 'resumable', 'sameToken'],
    ],
    ['dies with', ['200', '400', '401', '403', '404', '410', '500', '503', 'no continuation']],
    ['order', ['ascending', 'descending', 'random']],
    ['position', ['by key', 'by offset', 'no continuation']],
    ['deletions', ['10 %', '2 %', 'none']],
    ['upgrade', ['capitals', 'none', 'other ids', 'zeros added', 'zeros removed']],
    ['clock', ['Date 10 h ahead', 'Date 10 h behind', 'Date 2 h ahead', 'Date 2 h behind', 'all 2 h behind', 'near']],
    ['answer faults', ['few', 'many', 'none', 'twice as many']],
  ])('have each value of "%s"', (trait, values) => {
    expect(valuesOf(trait)).toEqual(values);
  });

  it('have each form of stamps with each fraction, but fractions of seconds since 1970', () => {
    expect(valuesOf('stamps')).toHaveLength(3 * 3 + 1);
  });

  it('are a product: each value of one meets each of another', () => {
    const pairs = (a: Trait, b: Trait): number => new Set(drawn.map((traits) => `${traits[a]} × ${traits[b]}`)).size;

    expect(pairs('order', 'stamps')).toBe(3 * 10);
    expect(pairs('order', 'replicas')).toBe(3 * valuesOf('replicas').length);
    expect(pairs('dies with', 'order')).toBe(9 * 3);
    expect(pairs('continuation', 'deletions')).toBe(8 * 3);
    expect(pairs('answer faults', 'stamps')).toBe(4 * 10);
  });

  it('do not depend on each other: a value is as frequent among the worlds of another trait', () => {
    const share = (some: readonly Traits[]): number =>
      some.filter(({ order }) => order === 'random').length / some.length;

    for (const stamps of valuesOf('stamps'))
      expect(share(drawn.filter((traits) => traits.stamps === stamps))).toBeCloseTo(1 / 3, 0.7);
  });

  it('draw from streams of their own: what one asks for changes nothing of another', () => {
    const other = chancesOf(7);
    for (const name of ['ids', 'a trait that is to come']) other(name).random();

    expect(other('order').random()).toBe(chancesOf(7)('order').random());
  });
});

describe('what a service shows otherwise from page to page', () => {
  const nets = SEEDS.map((seed) => drawNet(chancesOf(seed), PAGED));

  it('is each wrong end, replica and deletion by offset', () => {
    expect(new Set(nets.map(({ wrongEnd }) => wrongEnd?.what))).toEqual(new Set([...WRONG_ENDS, undefined]));
    expect(new Set(nets.map(({ lagMs }) => lagMs))).toEqual(new Set([0, 5_000, 60_000]));
    expect(nets.some(({ position, deletedShare }) => position === 'offset' && deletedShare > 0)).toBe(true);
  });
});

describe('the table of traits', () => {
  const world = (order: string, some: Partial<World>): World => ({
    traits: { ...Object.fromEntries(TRAITS.map((trait) => [trait, 'x'])), order } as Traits,
    entries: 10_000_000,
    announced: 0,
    lost: 0,
    underTwoIds: 0,
    isStuck: false,
    ...some,
  });

  it('adds up what the worlds of a value met with, sorted, in 100 columns', () => {
    const lines = traitTable([
      world('random', { lost: 3, isStuck: true }),
      world('ascending', {}),
      world('random', { announced: 2, underTwoIds: 1 }),
    ]);

    expect(lines.filter((line) => line.startsWith('order')).map((line) => line.split(/\s+/))).toEqual([
      ['order', 'ascending', '1', '10,000,000', '0', '0', '0', '0'],
      ['order', 'random', '2', '20,000,000', '2', '3', '1', '1'],
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
