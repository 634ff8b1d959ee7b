import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../functions/events/catalogue/catalogue.ts';
import { on } from '../../../functions/events/on.ts';

const eventOf = (type: string): unknown => CATALOGUE.find((event) => event.type === type)?.example;

describe('on', () => {
  it('passes an event to the function of its detail type, and waits for it', async () => {
    const told: unknown[] = [];
    const handler = on({
      MemberChanged: async (event) => {
        await Promise.resolve();
        told.push(event.detail.metadata.actionKey);
      },
      GapDetected: (event) => told.push(event.detail.data.reason),
    });

    await handler(eventOf('MemberChanged'));
    await handler(eventOf('GapDetected'));

    expect(told).toEqual(['ContactUpdated', 'unpaged']);
  });

  it('ignores an event without a function, or passes it to otherwise', async () => {
    const others: unknown[] = [];
    const quiet = on({ MemberChanged: () => expect.unreachable() });
    const careful = on({}, { otherwise: (event) => others.push(event['detail-type']) });

    await quiet(eventOf('TagChanged'));
    await careful(eventOf('TagChanged'));

    expect(others).toEqual(['TagChanged']);
  });

  it('passes on the context of the invocation, with the type of the functions', async () => {
    const told: number[] = [];
    const handler = on({
      MemberChanged: (_event, context: { left: number }) => told.push(context.left),
      TagChanged: (_event, { left }) => told.push(left),
    });

    await handler(eventOf('MemberChanged'), { left: 3 });
    await handler(eventOf('TagChanged'), { left: 2 });

    expect(told).toEqual([3, 2]);
  });

  it('rejects with the error of the function, and with EventInvalid for other input', async () => {
    const handler = on({
      MemberChanged: () => {
        throw new Error('not now');
      },
    });

    await expect(handler(eventOf('MemberChanged'))).rejects.toThrow('not now');
    await expect(handler({ Records: [] })).rejects.toMatchObject({ code: 'EventInvalid' });
  });
});
