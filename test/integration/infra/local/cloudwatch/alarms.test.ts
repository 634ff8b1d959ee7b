import { describe, expect, test } from 'vitest';
import { lines, start, type Started } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const NO_POLL = 'MembershipBridge local: no successful poll';
const REFUSED = 'MembershipBridge local: credentials refused';
const LETTERS = 'MembershipBridge member-change: dead letters';

/** Polls every 300 ms, which is also a minute of the alarms. */
const QUICK = ['--every', '300ms', '--activity', '600'];

/** `ALARM <name>`, `OK <name>` and `<fault> begins`, in order. */
function happenings(text: string): string[] {
  return lines(text).flatMap((line) => {
    const [, what = '', rest = ''] = /^\d\d:\d\d:\d\d {2}(\S+) +(.*)$/.exec(line) ?? [];
    if (what === 'fault') return rest.split(':').slice(0, 1);
    return ['ALARM', 'OK', 'INSUFFICIENT_DATA'].includes(what) ? [`${what} ${rest.split('. ')[0]}`] : [];
  });
}

/** Enough for a busy machine. */
const LIMIT_MS = 120_000;

/** Runs until the alarm has ended, and stops. */
async function playOut(alarm: string, args: readonly string[], read: (run: Started) => string): Promise<string> {
  const run = start([...args, ...QUICK, '--state', await temporaryFolder()]);
  await until(() => happenings(read(run)).includes(`OK ${alarm}`), LIMIT_MS);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  return read(run);
}

/** Without other alarms, such as the missing polls without credentials. */
function course(text: string, alarm: string): string[] {
  return happenings(text).filter((what) => / (?:begins|ends)$/.test(what) || what.endsWith(` ${alarm}`));
}

describe('npm start', { timeout: LIMIT_MS + 30_000 }, () => {
  test('shows that no poll succeeds while the service is down, and that they succeed again', async () => {
    const text = await playOut(NO_POLL, ['--fault', 'service-down@1s-15s'], ({ out }) => out());

    expect(course(text, NO_POLL)).toEqual([
      'service-down begins',
      `ALARM ${NO_POLL}`,
      'service-down ends',
      `OK ${NO_POLL}`,
    ]);
    expect(text).toMatch(/^alarm {15}MembershipBridge local: no successful poll {2}\(15 minutes, here 4\.5 s\)$/m);
    expect(text).toMatch(
      /no successful poll\. Sum of SuccessfulPoll per 5 min: 0, 0, 0 \(alarm if 3 of 3 are < 1\)\. No poll of local has succeeded for 15 minutes\.$/m,
    );
  });

  // Runs without a login leave the alarm as it is (missing data is ignored), so the next successful login ends it.
  test('S34 shows that credentials are refused, and that a new version of the secret ends the alarm', async () => {
    const text = await playOut(REFUSED, ['--json', '--fault', 'login-refused@1s-10s'], ({ err }) => err());

    expect(course(text, REFUSED)).toEqual([
      'login-refused begins',
      `ALARM ${REFUSED}`,
      'login-refused ends',
      `OK ${REFUSED}`,
    ]);
    expect(text).toMatch(/credentials refused\. Maximum of CredentialsRefused per 5 min: 1 \(alarm if >= 1\)\./);
    expect(text).toMatch(/credentials refused\. Maximum of CredentialsRefused per 5 min: 0 \(alarm if >= 1\)\.$/m);
  });

  test('shows that a consumer fails permanently, and that its dead letters were handled', async () => {
    const args = ['--consumers', '--fault', 'consumers-fail@1s-10s'];

    const text = await playOut(LETTERS, args, ({ out }) => out());

    expect(course(text, LETTERS)).toEqual([
      'consumers-fail begins',
      `ALARM ${LETTERS}`,
      'consumers-fail ends',
      `OK ${LETTERS}`,
    ]);
    expect(text).toMatch(/purges them \([1-9]\d*\)\.$/m);
  });

  test('names the alarms that are still on at the end, and ends a fault before the summary', async () => {
    const args = ['--every', '200ms', '--seconds', '10', '--fault', 'service-down@500ms-1m'];

    const run = start([...args, '--state', await temporaryFolder()]);

    expect(await run.ended).toBe(0);
    expect(happenings(run.out())).toEqual(['service-down begins', `ALARM ${NO_POLL}`, 'service-down ends']);
    expect(lines(run.out()).slice(-2)).toEqual([
      `alarms still on: ${NO_POLL}`,
      expect.stringMatching(/^events: \d+, lost: 0, /),
    ]);
  });

  test('says that a fault of consumers needs a consumer', async () => {
    const run = start(['--fault', 'consumers-fail@1s-2s', '--state', await temporaryFolder()]);

    expect(await run.ended).toBe(1);
    expect(lines(run.err())).toEqual([
      '--fault consumers-fail needs a consumer, and none is switched on. Add --consumers.',
    ]);
  });
});
