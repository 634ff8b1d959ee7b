// Every event that the poller makes satisfies the catalogue and the consumers' parse.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '../../../functions/events/parse.ts';
import { identifyPage, identityFieldsOf } from '../../../functions/poller/identity/identify.ts';
import { toEvent, toOversizeEvent, type EventContext } from '../../../functions/poller/publish/entry-to-event.ts';
import { learnFields } from '../../../functions/poller/learn/fields.ts';
import { readSourceSettings, type SourceInput } from '../../../functions/source/settings.ts';
import { emptyProfile } from '../../../functions/source/service-profile.ts';
import { isJsonObject, parseJson } from '../../../functions/shared/json.ts';
import { anyJson, anyJsonObject, anyText } from '../../support/arbitrary-json.ts';
import { delivered, problemsOf } from '../../support/catalogued-events.ts';

/** The settings that change the content of an event. */
const anySettings = (): fc.Arbitrary<SourceInput> =>
  fc.record(
    {
      sourceId: fc.constantFrom('a', 'acme', `x${'-9'.repeat(31)}`),
      baseUrl: fc.constant('https://api.membership.example'),
      timeZone: fc.constantFrom('Europe/Istanbul', 'UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Dublin'),
      secretId: fc.constant('secret'),
      organisationId: fc.uuid(),
      fields: fc.record(
        {
          occurredAt: fc.constantFrom('/createdOn', '/timestampUnix', '/member/createdOn', '/nowhere'),
          actionKey: fc.constantFrom('/action', '/actionKey', '/data/0', '/nowhere'),
          organisationId: fc.constantFrom('/organisationId', '/member'),
          organisationMembershipId: fc.constantFrom('/member/id', '/member'),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['sourceId', 'baseUrl', 'timeZone', 'secretId'] },
  );

const FIELDS = 'id createdOn timestampUnix actionKey action organisationId organisationMembershipId memberId member';

/** The text of an entry: any object with some of the fields that the bridge reads, with any values. */
const anyEntry = (): fc.Arbitrary<string> => {
  const key = fc.constantFrom('ContactCreated', 'DebtPost', 'MemberLoggedIn', 'тег.tag').map((text) => `"${text}"`);
  const stamp = fc.constantFrom('"2026-11-20T12:00:00Z"', '1795176000');
  const value = fc.oneof(anyJson(), anyText().map(escaped), key, stamp);
  const field = fc.tuple(fc.constantFrom(...FIELDS.split(' ')), value).map(([name, json]) => `"${name}":${json}`);
  const created = fc.constant('"actionKey":"ContactCreated"');
  const fields = fc.array(fc.oneof({ weight: 9, arbitrary: field }, created), { maxLength: 6 });
  return fc.tuple(fields, anyJson()).map(([members, more]) => `{${[...members, `"more":${more}`].join(',')}}`);
};

const escaped = (text: string): string => JSON.stringify(text);

/** Ms since 1970, from 2020 to 2100. */
const anyNow = (): fc.Arbitrary<number> => fc.integer({ min: 1_577_836_800_000, max: 4_102_444_800_000 });

describe('an event of the poller', () => {
  it('satisfies its schema and parse for any entries, settings and circumstances', () => {
    const seen = new Set<string>();

    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 3, arbitrary: anyEntry() }, anyJsonObject()), { minLength: 1, maxLength: 3 }),
        anySettings(),
        fc.record({
          observedAt: anyNow(),
          late: fc.boolean(),
          backfillId: fc.constantFrom(null, 'start'),
          requestId: fc.string(),
        }),
        fc.boolean(),
        (texts, input, circumstances, isOversize) => {
          const settings = readSourceSettings(input);
          const page = texts.map(parseJson).filter(isJsonObject);
          const { profile } = learnFields(emptyProfile(), page, settings);
          const context: EventContext = { settings, ...circumstances };

          const entries = identifyPage(page, identityFieldsOf(profile, settings));

          expect(entries).toHaveLength(page.length);
          for (const entry of entries) {
            const event = delivered(
              isOversize ? toOversizeEvent(entry, context, { bytes: 2, limitBytes: 1 }) : toEvent(entry, context),
            );
            expect(problemsOf(event)).toBeNull();
            expect(parse(event)).toBe(event);
            seen.add(describeEvent(event as never));
          }
        },
      ),
      { numRuns: 250 },
    );

    // The generated entries cover both cases of each fact.
    expect([...seen].filter((text) => text.startsWith('MemberChanged'))).not.toEqual([]);
    for (const fact of ['stamp', 'key', 'member', 'organisation'])
      expect(new Set([...seen].map((text) => text.includes(` ${fact}`)))).toEqual(new Set([true, false]));
  });
});

function describeEvent(event: { 'detail-type': string; detail: { metadata: Record<string, unknown> } }): string {
  const { occurredAt, actionKey, organisationMembershipId, organisationId } = event.detail.metadata;
  const facts = { stamp: occurredAt, key: actionKey, member: organisationMembershipId, organisation: organisationId };
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return [event['detail-type'], ...known.map(([name]) => name)].join(' ');
}
