import { describe, expect, test } from 'vitest';
import { commandHelp, parseCommand } from '../../../../../infra/membership-service/command/command-options.ts';
import { createFaults } from '../../../../../infra/membership-service/faults/faults.ts';

const parse = (text: string) => parseCommand(text.split(' ').filter((word) => word !== ''));

describe('options of npm run membership-service', () => {
  test('has a default for everything', () => {
    expect(parse('')).toEqual({
      kind: 'options',
      options: {
        port: 0,
        adminPort: 0,
        personality: null,
        seed: null,
        perMinute: 30,
        state: null,
        faults: createFaults(),
      },
    });
  });

  test('reads every option, and a fault as JSON or as text', () => {
    const text =
      '--port 4100 --admin-port=4101 --personality endless --seed 7 --per-minute 0 --state a.log --fault errorRate=0.2 --fault=filter=/token --fault status429={"count":2,"retryAfter":null}';

    expect(parse(text)).toEqual({
      kind: 'options',
      options: {
        port: 4100,
        adminPort: 4101,
        personality: 'endless',
        seed: 7,
        perMinute: 0,
        state: 'a.log',
        faults: createFaults({ errorRate: 0.2, filter: '/token', status429: { count: 2, retryAfter: null } }),
      },
    });
  });

  test.each([
    ['--port 0', '--port 0 is not a whole number from 1 to 65535.'],
    ['--port', "error: option '--port <N>' argument missing"],
    ['--seed x', '--seed x is not a whole number from 0 to 2147483647.'],
    ['--per-minute -1', '--per-minute -1 is not a whole number from 0 to 6000.'],
    ['--per-minute 6001', '--per-minute 6001 is not a whole number from 0 to 6000.'],
    ['--personality nice', /^--personality nice is unknown; write one of ordinary, anonymous, /],
    ['--speed=3', '--speed is unknown; npm run membership-service -- --help shows all options.'],
    ['--help=yes', '--help takes no value.'],
    ['fast', '"fast" is not understood; options begin with two hyphens.'],
    ['--fault errorRate', '--fault: "errorRate" is not a fault; write one such as errorRate=0.2.'],
    ['--fault errorRate=2', '--fault: errorRate must be a share of requests from 0 to 1.'],
    ['--fault nonsense=1', /^--fault: There is no fault "nonsense"; known are errorRate, htmlRate, /],
  ])('says what to write instead of %j', (text, problem) => {
    const parsed = parse(text);

    expect(parsed).toMatchObject({ kind: 'problems', problems: [expect.stringMatching(problem)] });
  });

  test('lists all problems together', () => {
    expect(parse('--port x --seed y z')).toMatchObject({ kind: 'problems', problems: { length: 3 } });
  });

  test('shows every option with --help, even next to others, on a terminal of 80 columns', () => {
    expect(parse('--nonsense --help').kind).toBe('help');
    expect(commandHelp().match(/^ {2}--[\w-]+/gm)).toHaveLength(8);
    expect(
      commandHelp()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});
