import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../../functions/events/catalogue/catalogue.ts';
import { KEPT_SOURCES } from '../../support/kept-version.ts';
import { makeEvents } from '../../tools/kept-version/events.ts';
import { makeSealable, makeSources } from '../../tools/kept-version/sources.ts';

describe('what is kept of this version', () => {
  it('has a source in each condition, and an event of each type', async () => {
    const sources = [...(await makeSources()), await makeSealable()];
    const states = sources.map(({ world }) => world.state());

    const events = makeEvents(sources) as { 'detail-type': string }[];

    expect(sources.map(({ sourceId }) => sourceId)).toEqual(KEPT_SOURCES);
    expect(states.filter((state) => state?.cursor)).toHaveLength(1);
    expect(states.filter((state) => state?.peek?.known !== undefined)).toHaveLength(1);
    expect(states.filter((state) => state?.breaker)).toHaveLength(1);
    expect(states.filter((state) => state?.login?.isProven === false)).toHaveLength(2);
    expect(states.filter((state) => state?.deferredLevels.length)).toHaveLength(1);
    expect(new Set(events.map((event) => event['detail-type']))).toEqual(new Set(CATALOGUE.map(({ type }) => type)));
  });
});
