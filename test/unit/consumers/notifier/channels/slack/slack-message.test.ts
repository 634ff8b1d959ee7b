import type { KnownBlock } from '@slack/types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toChange } from '../../../../../../functions/consumers/notifier/what-to-say/change.ts';
import {
  toSlackMessage,
  type SlackMessage,
} from '../../../../../../functions/consumers/notifier/channels/slack/slack-message.ts';
import { ADA, aChange, aNotice, anyText, manyChanges } from '../../events.ts';

const OPTIONS = { timeZone: 'Europe/Amsterdam' };
const EVIL = '<!channel> <https://evil|Reset> & *b* :smile: @here `x`';

/** Every string in a message with its object. */
function textsOf(
  value: unknown,
  owner: Record<string, unknown> = {},
): { text: string; owner: Record<string, unknown> }[] {
  if (typeof value === 'string') return [{ text: value, owner }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) =>
    textsOf(member, Array.isArray(value) ? owner : (value as typeof owner)),
  );
}

function typesOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...('type' in value ? [value.type] : []), ...Object.values(value).flatMap(typesOf)];
}

/** Checks Slack's documented limits and the undocumented one. */
function expectInsideLimits({ text, blocks }: SlackMessage): void {
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(text.length).toBeLessThanOrEqual(3_000);
  expect(JSON.stringify(blocks).replaceAll(/[^ -~]/g, '______').length).toBeLessThanOrEqual(13_000);
  for (const block of blocks) expect(textOf(block).length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3_000);
}

function textOf(block: KnownBlock): string {
  return textsOf(block)
    .filter(({ text, owner }) => text !== owner['type'] && text !== owner['style'])
    .map(({ text }) => text)
    .join('');
}

describe('a Slack message', () => {
  it('shows one change in full', () => {
    expect(toSlackMessage([aChange()], OPTIONS)).toEqual({
      text: 'Member changed',
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Member changed', emoji: false } },
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [{ type: 'text', text: 'Ada Lovelace', style: { bold: true } }],
            },
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: [
                {
                  type: 'rich_text_section',
                  elements: [{ type: 'text', text: 'Member changed · ContactCreated · 21 Nov 2026, 08:03' }],
                },
              ],
            },
          ],
        },
        {
          type: 'context',
          elements: [{ type: 'plain_text', text: '21 Nov 2026, 08:03, Europe/Amsterdam', emoji: false }],
        },
      ],
    });
  });

  it('counts several changes and groups them by member', () => {
    const { text, blocks } = toSlackMessage(manyChanges(12, { members: 3 }), OPTIONS);

    expect(text).toBe('12 changes: 12 × Member changed');
    expect(blocks.map(({ type }) => type)).toEqual([
      'header',
      'context',
      'rich_text',
      'rich_text',
      'rich_text',
      'context',
    ]);
  });

  it('links the name as the settings say, with the member encoded', () => {
    const links = { member: 'https://app.example/c/{organisationMembershipId}?tab=log' };
    const changes = [aChange({ organisationMembershipId: '../../evil?x=#$&' })];

    const links_ = textsOf(toSlackMessage(changes, { ...OPTIONS, links })).filter(
      ({ owner }) => owner['type'] === 'link',
    );

    expect(links_.map(({ text }) => text)).toContain('https://app.example/c/..%2F..%2Fevil%3Fx%3D%23%24%26?tab=log');
  });

  it('shows a notice of the bridge', () => {
    const { text, blocks } = toSlackMessage([toChange(aNotice())], OPTIONS);

    expect(text).toBe('From the bridge');
    expect(textOf(blocks[1]!)).toContain('Some changes could not be read (source acme)');
  });
});

describe('untrusted text in Slack (D13)', () => {
  it('is literal text of rich text and nowhere else', () => {
    const message = toSlackMessage([aChange({ name: EVIL, actionKey: EVIL, organisationMembershipId: EVIL })], OPTIONS);
    const evil = textsOf(message).filter(({ text }) => text.includes('evil'));

    expect(evil.map(({ text }) => text)).toEqual([EVIL, expect.stringContaining(`· ${EVIL} ·`)]);
    expect(evil.map(({ owner }) => owner['type'])).toEqual(['text', 'text']);
  });

  it('never becomes markup, a mention, a link or an emoji, for any text', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (name, actionKey) => {
        const message = toSlackMessage([aChange({ name, actionKey })], OPTIONS);

        expect(new Set(typesOf(message))).toEqual(
          new Set(['header', 'plain_text', 'rich_text', 'rich_text_section', 'rich_text_list', 'text', 'context']),
        );
        expectInsideLimits(message);
      }),
    );
  });
});

describe('ten thousand changes in Slack (D12)', () => {
  it.each([
    ['of fifty members', manyChanges(10_000)],
    ['of ten thousand members', manyChanges(10_000, { members: 10_000 })],
    ['of one member', manyChanges(10_000, { members: 1 })],
    ['with names of maximal length', manyChanges(10_000, { members: 10_000, name: '😀"'.repeat(200) })],
    ['with names in other letters', manyChanges(10_000, { members: 10_000, name: '张伟'.repeat(30) })],
    ['with names that JSON makes longer', manyChanges(10_000, { members: 10_000, name: '"\\'.repeat(200) })],
  ])('%s are one message within the limits, with their number and the first of them', (_what, changes) => {
    const message = toSlackMessage(changes, OPTIONS);
    const shown = JSON.stringify(message).match(/ContactCreated/g)?.length ?? 0;

    expectInsideLimits(message);
    expect(message.text).toBe('10,000 changes: 10,000 × Member changed');
    expect(shown).toBeGreaterThanOrEqual(8);
    expect(JSON.stringify(message)).toContain(`… and ${(10_000 - shown).toLocaleString('en-GB')} more`);
  });

  it('show the first members and none after the first omitted one', () => {
    const short = aChange({ id: 'z', organisationMembershipId: ADA, name: 'B', occurredAt: '2026-11-22T00:00:00Z' });
    // With some of these lengths the short one would fit at the end.
    const messages = Array.from({ length: 60 }, (_, index) => 60 + index).map((length) =>
      toSlackMessage([...manyChanges(60, { members: 60, name: 'x'.repeat(length) }), short], OPTIONS),
    );

    expect(messages.filter((message) => JSON.stringify(message).includes('"B"'))).toEqual([]);
  });

  it('also show later members if one has more changes than fit into a block', () => {
    const much = manyChanges(200, { members: 1 });
    const one = aChange({ id: 'z', organisationMembershipId: ADA, name: 'Ada', occurredAt: '2026-11-22T00:00:00Z' });

    expect(JSON.stringify(toSlackMessage([...much, one], OPTIONS))).toContain('"Ada"');
  });
});
