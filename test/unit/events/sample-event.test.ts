// `sampleEvent`: events of the catalogue for the tests of consumers.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { CATALOGUE } from '../../../functions/events/catalogue/catalogue.ts';
import {
  DETAIL_TYPES,
  type GapDetectedEvent,
  type MemberChangedEvent,
  NOTICE_TYPES,
  parse,
  sampleEvent,
} from '../../../functions/events/index.ts';
import { problemsOf } from '../../support/catalogued-events.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs/events');

describe('a sample event', () => {
  it.each([...DETAIL_TYPES, ...NOTICE_TYPES])('of %s is that of docs/events', (type) => {
    const documented: unknown = JSON.parse(readFileSync(resolve(DOCS, `${type}.json`), 'utf8'));

    expect(sampleEvent(type)).toEqual(documented);
  });

  it('has what is laid over it, at any depth, and keeps everything beside it', () => {
    const sample = sampleEvent('MemberChanged');

    const event = sampleEvent('MemberChanged', {
      'replay-name': 'december',
      detail: { metadata: { actionKey: 'MemberMerged' }, data: { memberName: 'Chidi Bakker', tags: ['a'] } },
    });

    const { metadata, data } = sample.detail;
    expect(event).toEqual({
      ...sample,
      'replay-name': 'december',
      detail: {
        metadata: { ...metadata, actionKey: 'MemberMerged' },
        data: { ...data, memberName: 'Chidi Bakker', tags: ['a'] },
      },
    });
    expect(parse(event)).toBe(event);
    expect(problemsOf(event)).toBeNull();
  });

  it('takes null for a whole part, and leaves out what is undefined', () => {
    const oversize = { bytes: 2_000_000, limitBytes: 1_000_000 };

    const event = sampleEvent('MemberChanged', { detail: { metadata: { oversize }, data: null } });
    const wrong = sampleEvent('MemberChanged', { detail: { metadata: { id: undefined } } });

    expect(parse(event).detail.data).toBeNull();
    expect(wrong.detail.metadata).not.toHaveProperty('id');
    expect(() => parse(wrong)).toThrow('detail.metadata.id: is missing');
  });

  it('is a copy: neither it nor what was laid over it changes another', () => {
    const tags = ['a'];
    const event = sampleEvent('MemberChanged', { detail: { data: { tags } } });
    tags.push('b');
    Object.assign(event.detail.metadata, { id: 'changed' });

    const { example } = CATALOGUE.find(({ type }) => type === 'MemberChanged') ?? {};
    expect(event.detail.data?.['tags']).toEqual(['a']);
    expect(sampleEvent('MemberChanged')).toEqual(example);
  });

  it('has the type of its detail type, and takes no other field, type or value', () => {
    expectTypeOf(sampleEvent('MemberChanged')).toEqualTypeOf<MemberChangedEvent>();
    expectTypeOf(sampleEvent('GapDetected', { detail: { data: { level: 'past' } } })).toEqualTypeOf<GapDetectedEvent>();

    // @ts-expect-error -- no detail type of the bridge
    expect(() => sampleEvent('MembersChanged')).toThrow('There is no MembersChanged');
    // @ts-expect-error -- no field of the metadata
    sampleEvent('MemberChanged', { detail: { metadata: { actionkey: 'a' } } });
    // @ts-expect-error -- another type
    sampleEvent('MemberChanged', { detail: { metadata: { late: 'yes' } } });
    // @ts-expect-error -- no reason of a gap
    sampleEvent('GapDetected', { detail: { data: { reason: 'boredom' } } });
  });
});
