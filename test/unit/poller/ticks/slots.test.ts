import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOverdue, slotsToSend } from '../../../../functions/poller/ticks/slots.ts';

const NOW = Date.parse('2026-11-20T12:00:03.500Z');
const at = (seconds: number): number => Date.parse('2026-11-20T12:00:00Z') + seconds * 1_000;

describe('the slots of ticks', () => {
  it('are whole multiples of the interval, from the next one to two minutes ahead', () => {
    const slots = slotsToSend({ tickMs: 30_000, ticksUntil: undefined, now: NOW });

    expect(slots).toEqual([at(30), at(60), at(90), at(120)]);
  });

  it('go on where the run before left off, so that a steady schedule sends each once', () => {
    const first = slotsToSend({ tickMs: 20_000, ticksUntil: undefined, now: NOW });

    const second = slotsToSend({ tickMs: 20_000, ticksUntil: first.at(-1), now: NOW + 60_000 });

    expect(first.at(-1)).toBe(at(120));
    expect(second).toEqual([at(140), at(160), at(180)]);
    expect(slotsToSend({ tickMs: 20_000, ticksUntil: first.at(-1), now: NOW })).toEqual([]);
  });

  it('leave out what is over, and a mark that a wrong clock has set does not silence them', () => {
    expect(slotsToSend({ tickMs: 30_000, ticksUntil: NOW - 86_400_000, now: NOW })[0]).toBe(at(30));
    expect(slotsToSend({ tickMs: 30_000, ticksUntil: NOW + 86_400_000, now: NOW })[0]).toBe(at(30));
  });

  it('cover every slot of an hour once, however the schedule fires within its minutes', () => {
    const offsets = fc.array(fc.integer({ min: 0, max: 59_999 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(offsets, fc.constantFrom(5_000, 6_000, 12_000, 30_000), (within, tickMs) => {
        let ticksUntil: number | undefined;
        const sent: number[] = [];
        for (const [minute, offset] of within.entries()) {
          const slots = slotsToSend({ tickMs, ticksUntil, now: at(minute * 60) + offset });
          sent.push(...slots);
          ticksUntil = slots.at(-1) ?? ticksUntil;
        }

        const first = sent[0] as number;
        expect(sent).toEqual(sent.map((_, index) => first + index * tickMs));
        expect(sent.at(-1)).toBeGreaterThanOrEqual(at(59 * 60));
      }),
    );
  });

  it('are late once the next one has come', () => {
    const tick = { sourceId: 'acme', slot: at(10) };

    expect([at(0), at(10), at(15) - 1, at(15)].map((now) => isOverdue(tick, 5_000, now))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});
