import { expect, it } from 'vitest';
import { assertRight, NoFigures } from '../../../tools/bench/gate.ts';

const right = { events: 10, lost: 0, duplicates: 0, overCounted: 0, quarantined: 0, p50LatencyMs: null };

it('accepts figures of a bridge that lost nothing', () => {
  expect(() => assertRight(right)).not.toThrow();
});

it.each(['lost', 'duplicates', 'overCounted', 'quarantined'] as const)(
  'refuses figures where %s is above zero',
  (name) => {
    expect(() => assertRight({ ...right, [name]: 1 })).toThrow(NoFigures);
  },
);
