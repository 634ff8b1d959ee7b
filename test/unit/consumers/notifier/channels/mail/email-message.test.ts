import * as fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { LABELS } from '../../../../../../functions/consumers/notifier/what-to-say/change.ts';
import { toMailMessage } from '../../../../../../functions/consumers/notifier/channels/mail/email-message.ts';
import { aChange, anyText, manyChanges } from '../../events.ts';

type Node = DefaultTreeAdapterTypes.Node;

const LINK = 'https://app.example/contacts/{organisationMembershipId}';
const OPTIONS = { name: 'board-mail', timeZone: 'Europe/Amsterdam', links: { member: LINK } };
const ATTACKS = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "' onmouseover='alert(1)",
  '</title></style></td></table><iframe src=//evil>',
  '<!--',
  ']]><svg/onload=alert(1)>',
  '&lt;b&gt;&amp;',
];

/** The elements of a document with their attribute names, its texts, and the parse errors. */
function outlineOf(html: string): { elements: string[]; texts: string[]; problems: string[] } {
  const problems: string[] = [];
  const outline = { elements: [] as string[], texts: [] as string[], problems };
  const walk = (node: Node): void => {
    if ('tagName' in node) outline.elements.push(`${node.tagName} ${node.attrs.map(({ name }) => name).join(' ')}`);
    if (node.nodeName === '#comment') outline.elements.push('comment');
    if ('value' in node && node.value.trim() !== '') outline.texts.push(node.value);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parse(html, { onParseError: ({ code }) => problems.push(code) }));
  return outline;
}

describe('a mail', () => {
  it('shows one change in full as text', () => {
    const { subject, text } = toMailMessage([aChange({ organisationMembershipId: 'a/b' })], OPTIONS);

    expect(subject).toBe('Member changed · ContactCreated');
    expect(text).toBe(
      [
        'Member changed',
        '21 Nov 2026, 08:03, Europe/Amsterdam',
        '',
        'Ada Lovelace',
        'https://app.example/contacts/a%2Fb',
        '- Member changed · ContactCreated',
        '  21 Nov 2026, 08:03',
        '',
        'Sent by the membership event bridge, channel board-mail. What each change held is not in this mail.',
        '',
      ].join('\n'),
    );
  });

  it('counts several changes in its subject, without a member', () => {
    const { subject, text } = toMailMessage(manyChanges(12, { members: 3 }), OPTIONS);

    expect(subject).toBe('12 changes: 12 × Member changed');
    expect(text.match(/^Ada Lovelace$/gm)).toHaveLength(3);
  });

  it('has a subject of at most 150 characters', () => {
    const kinds = Object.values(LABELS).map((what, index) => ({ ...aChange({ id: String(index) }), what }));

    const { subject } = toMailMessage(kinds, OPTIONS);

    expect(subject).toMatch(/^10 changes: 1 × .*…$/);
    expect(subject).toHaveLength(150);
  });

  it('is a valid document whose links all come from the settings', () => {
    const { html } = toMailMessage(manyChanges(12, { members: 3 }), OPTIONS);
    const { problems, elements } = outlineOf(html);

    expect(problems).toEqual([]);
    expect(html.match(/(?:href|src|url)[=(]"?[^"\s>]*/g)).toEqual(
      ['member-0', 'member-1', 'member-2'].map((member) => `href="https://app.example/contacts/${member}`),
    );
    expect(elements.filter((element) => /^(?:img|script|link|iframe|form)/.test(element))).toEqual([]);
  });

  it('breaks no line between a number and its noun', () => {
    const { html } = toMailMessage(manyChanges(12), OPTIONS);

    expect(html).toContain('>12\u00A0×\u00A0Member changed</p>');
  });

  it('declares light and dark mode and a layout for phones', () => {
    const { html } = toMailMessage([aChange()], OPTIONS);

    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme: dark)');
    expect(html).toContain('@media (max-width: 480px)');
  });

  it.each([
    ['of ten thousand members', manyChanges(10_000, { members: 10_000 })],
    ['of one member', manyChanges(10_000, { members: 1 })],
    ['with names that HTML makes longer', manyChanges(10_000, { members: 10_000, name: '"<'.repeat(200) })],
  ])('of ten thousand changes %s stays below the limit of mail clients and has their number', (_what, changes) => {
    const { html, text } = toMailMessage(changes, OPTIONS);

    expect(Buffer.byteLength(html)).toBeLessThan(100_000);
    expect(text).toMatch(/^10,000 changes\n/);
    expect(text).toMatch(/… and 9,9\d\d more/);
  });

  it('has a digest that depends only on the changes', () => {
    const [one, two] = [aChange({ id: 'a' }), aChange({ id: 'b' })];

    expect(toMailMessage([one, two], OPTIONS).digest).toBe(toMailMessage([two, one], OPTIONS).digest);
    expect(toMailMessage([one], OPTIONS).digest).not.toBe(toMailMessage([two], OPTIONS).digest);
  });
});

describe('untrusted text in a mail (D14)', () => {
  const harmless = outlineOf(toMailMessage([aChange()], OPTIONS).html);

  it.each(ATTACKS)('is only text: %s', (attack) => {
    const change = aChange({ name: attack, actionKey: attack, organisationMembershipId: attack });

    const { elements, texts, problems } = outlineOf(toMailMessage([change], OPTIONS).html);

    expect(elements).toEqual(harmless.elements);
    expect(problems).toEqual([]);
    expect(texts).toContain(attack);
    expect(texts).toContain(`Member changed · ${attack}`);
  });

  it('cannot end an attribute, and neither can a link of the settings', () => {
    const links = { member: 'https://app.example/?q="><script>{organisationMembershipId}' };

    const { html } = toMailMessage([aChange({ organisationMembershipId: '"><script>' })], { ...OPTIONS, links });

    expect(outlineOf(html).elements).toEqual(harmless.elements);
  });

  it('does not change the tree, for any text', () => {
    fc.assert(
      fc.property(anyText(1), anyText(), (name, actionKey) => {
        const { elements } = outlineOf(toMailMessage([aChange({ name: `A${name}`, actionKey })], OPTIONS).html);

        expect(elements.join('\n')).toBe(harmless.elements.join('\n'));
      }),
    );
  });

  it('cannot start a new line of the subject', () => {
    const { subject } = toMailMessage([aChange({ actionKey: 'x\r\nBcc: everybody@example.org\n\n<html>' })], OPTIONS);

    expect(subject).toBe('Member changed · x Bcc: everybody@example.org <html>');
  });
});
