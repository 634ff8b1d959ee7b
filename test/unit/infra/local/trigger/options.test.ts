import { describe, expect, test } from 'vitest';
import { helpText, parseTrigger } from '../../../../../infra/local/trigger/options.ts';
import { TRIGGERED_KEYS } from '../../../../../infra/local/trigger/trigger-action.ts';

const parse = (text: string) => parseTrigger(text.split(' ').filter((word) => word !== ''));

describe('options of npm run trigger', () => {
  test.each([
    ['PaymentChanged', { kind: 'trigger', name: 'PaymentChanged', state: null }],
    ['PaymentRefunded --state club', { kind: 'trigger', name: 'PaymentRefunded', state: 'club' }],
    ['--sample --to a', { kind: 'deliver', state: null, sent: { to: 'a', sample: null } }],
    ['DebtChanged --sample --to=a', { kind: 'deliver', state: null, sent: { to: 'a', sample: 'DebtChanged' } }],
    ['--event 12 --to a', { kind: 'deliver', state: null, sent: { to: 'a', eventId: '12' } }],
    ['--help', { kind: 'help' }],
  ])('reads %s', (text, parsed) => {
    expect(parse(text)).toEqual(parsed);
  });

  test.each([
    ['', 'Name what to trigger: npm run trigger -- PaymentChanged. --help lists all.'],
    ['A B C', '"B C" is too much; write one name.'],
    ['--sample', '--to is missing; name the consumer: --to member-change.'],
    ['--event 1', '--to is missing; name the consumer: --to member-change.'],
    ['--sample --event 1 --to a', '--sample and --event exclude each other; write one of them.'],
    ['A --to a', '--to a needs --sample or --event ID; without --to every consumer gets what it listens to.'],
    ['A --event 1 --to a', '"A" is too much; --event names the event.'],
    ['A --sampel', '--sampel is unknown; npm run trigger -- --help shows all options.'],
    ['A --state', "error: option '--state <FOLDER>' argument missing"],
    ['A --sample=x', '--sample takes no value.'],
  ])('refuses "%s" in one line that says what to write', (text, problem) => {
    expect(parse(text)).toEqual({ kind: 'problems', problems: [problem] });
  });

  test('lists everything that can be triggered, on a terminal of 80 columns', () => {
    const help = helpText();

    expect(TRIGGERED_KEYS.filter((key) => !help.includes(key))).toEqual([]);
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
