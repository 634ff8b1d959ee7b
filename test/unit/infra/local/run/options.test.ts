import { describe, expect, test } from 'vitest';
import { helpText, parseOptions } from '../../../../../infra/local/run/options.ts';

const parse = (text: string) => parseOptions(text.split(' ').filter((word) => word !== ''));

describe('options of npm start', () => {
  test('has a default for everything', () => {
    expect(parse('')).toEqual({
      kind: 'options',
      options: {
        port: null,
        servicePort: null,
        consolePort: null,
        minuteMs: 5000,
        every: null,
        seconds: null,
        json: false,
        events: null,
        fresh: false,
        personality: null,
        activityPerMinute: 30,
        sources: 1,
        source: null,
        state: null,
        startFrom: null,
        consumers: false,
        demo: false,
        webhook: null,
        forward: null,
        inspect: null,
        faults: [],
      },
    });
  });

  test('reads every option', () => {
    const text =
      '--port 4566 --service-port=4101 --console-port 4599 --minute 500ms --seconds 20 --json --events MemberChanged,Payment* --fresh --personality tardy --activity 0 --state s --start-from beginning --consumers --webhook http://127.0.0.1:3000/hook --forward splunk --demo --inspect member-change --fault service-down@5s-10s --fault=consumers-fail@500ms-1m';

    expect(parse(text)).toEqual({
      kind: 'options',
      options: {
        port: 4566,
        servicePort: 4101,
        consolePort: 4599,
        minuteMs: 500,
        every: null,
        seconds: 20,
        json: true,
        events: ['MemberChanged', 'Payment*'],
        fresh: true,
        personality: 'tardy',
        activityPerMinute: 0,
        sources: 1,
        source: null,
        state: 's',
        startFrom: 'beginning',
        consumers: true,
        demo: true,
        webhook: 'http://127.0.0.1:3000/hook',
        forward: 'splunk',
        inspect: 'member-change',
        faults: [
          { name: 'service-down', fromMs: 5000, toMs: 10_000 },
          { name: 'consumers-fail', fromMs: 500, toMs: 60_000 },
        ],
      },
    });
  });

  test('--demo reads the history from its beginning, with all consumers', () => {
    expect(parse('--demo')).toMatchObject({ options: { demo: true, startFrom: 'beginning', consumers: true } });
  });

  test.each([
    ['--every 10s', { every: 'PT10S', minuteMs: 60_000 }],
    ['--every PT10S', { every: 'PT10S', minuteMs: 60_000 }],
    ['--every 5m --minute 1s', { every: 'PT5M', minuteMs: 1_000 }],
    ['', { every: null, minuteMs: 5_000 }],
  ])('reads the interval of polls: %s', (text, options) => {
    expect(parse(text)).toMatchObject({ options });
  });

  test.each([
    ['--sources 200', { sources: 200, minuteMs: 20_000 }],
    ['--sources 10', { sources: 10, minuteMs: 5_000 }],
    ['--sources 200 --minute 60s', { sources: 200, minuteMs: 60_000 }],
    ['--sources 1 --demo', { sources: 1, demo: true }],
  ])('polls more sources at a pace that two processors keep: %s', (text, options) => {
    expect(parse(text)).toMatchObject({ options });
  });

  test.each([
    ['5s', 5000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['2m', 120_000],
  ])('reads --minute %s', (text, minuteMs) => {
    expect(parse(`--minute ${text}`)).toMatchObject({ options: { minuteMs } });
  });

  test.each([
    [
      '--prot 1',
      [
        '--prot is unknown; npm start -- --help shows all options.',
        '"1" is not understood; options begin with two hyphens.',
      ],
    ],
    ['--port', ["error: option '--port <N>' argument missing"]],
    ['--state=', ['--state needs a value: --state <FOLDER>.']],
    ['--port 70000', ['--port 70000 is not a whole number from 1 to 65535.']],
    [
      '--every 7s',
      [
        '--every 7s is none of 5, 6, 10, 12, 15, 20, 30 seconds or 1 to 60 whole minutes; write one such as 5s or 1m, or --minute for a shorter minute.',
      ],
    ],
    ['--minute 5', ['--minute 5 is not a time; write one such as 5s, 500ms or 1m.']],
    ['--minute 10ms', ['--minute 10ms is too short; write 200ms or more.']],
    ['--demo --start-from now', ['--demo reads from the beginning; leave --start-from now out.']],
    ['--sources 0', ['--sources 0 is not a whole number from 1 to 200.']],
    ['--sources 201', ['--sources 201 is not a whole number from 1 to 200.']],
    ['--sources many', ['--sources many is not a whole number from 1 to 200.']],
    ['--sources', ["error: option '--sources <N>' argument missing"]],
    [
      '--sources 2 --source settings.json',
      ['--sources is for the local membership service; leave it out with --source.'],
    ],
    ['--sources 2 --demo', ['--demo shows one source; leave --sources out.']],
    ['--json=yes', ['--json takes no value.']],
    ['--start-from yesterday', ['--start-from yesterday is unknown; write one of now, beginning.']],
    ['--seconds 1.5', ['--seconds 1.5 is not a whole number from 1 to 86400.']],
    ['now', ['"now" is not understood; options begin with two hyphens.']],
    [
      '--port 0 --fault',
      ['--port 0 is not a whole number from 1 to 65535.', "error: option '--fault <NAME@TIMES...>' argument missing"],
    ],
    [
      '--fault service-down',
      ['--fault service-down is not a fault with its times; write one such as service-down@5s-30s.'],
    ],
    [
      '--fault flood@5s-30s',
      ['--fault flood@5s-30s names an unknown fault; write one of service-down, login-refused, consumers-fail.'],
    ],
    [
      '--fault service-down@5-30',
      [
        '--fault service-down@5-30 has a time that cannot be read; write times since the start, such as service-down@5s-30s.',
      ],
    ],
    [
      '--fault service-down@30s-5s',
      ['--fault service-down@30s-5s ends before it starts; write the earlier time first.'],
    ],
    [
      '--fault service-down@1s-5s --fault service-down@4s-9s',
      ['--fault service-down is given twice for the same time; leave a gap between the two.'],
    ],
    [
      '--seconds 20 --fault service-down@20s-25s',
      ['--fault service-down starts after the 20 seconds of --seconds; let it start earlier.'],
    ],
  ])('reports each problem of %s in a line', (text, problems) => {
    expect(parse(text)).toEqual({ kind: 'problems', problems });
  });

  test('lists all problems together', () => {
    const parsed = parse('--port x --personality rude --seconds 0');

    expect(parsed).toMatchObject({ kind: 'problems', problems: { length: 3 } });
  });

  test('refuses options of the local service with a real one', () => {
    const parsed = parse('--source settings.json --personality tardy --activity 5 --fault service-down@5s-30s');

    expect(parsed).toEqual({
      kind: 'problems',
      problems: [
        '--personality is for the local membership service; leave it out with --source.',
        '--activity is for the local membership service; leave it out with --source.',
        '--fault is for the local membership service; leave it out with --source.',
      ],
    });
  });

  test('shows every option with --help, on a terminal of 80 columns', () => {
    expect(parse('--help --port x')).toEqual({ kind: 'help' });
    expect(helpText()).toMatch(/^ {2}--start-from <WHEN> +"now" or "beginning" \(now\)$/m);
    expect(
      helpText()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});
