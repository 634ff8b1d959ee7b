// `npm run gameday` as a process: real alarms, real commands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cachedAssembly } from '../../../../../infra/local/cloudformation/assembly-cache.ts';
import { BRIDGE } from '../../../../../infra/local/gameday/world.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';

const COMMAND = join(import.meta.dirname, '../../../../../infra/local/gameday/command.ts');

beforeAll(async () => void (await cachedAssembly({ context: { bridge: BRIDGE }, environment: process.env })));

async function start(...args: string[]) {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { ...process.env, TMPDIR: folder } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (texts.out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (texts.err += text.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, texts, ended, left: () => readdirSync(folder) };
}

describe('npm run gameday', () => {
  test('brings alarms about, runs the commands of their sections, and ends with 0 when they are over', async () => {
    const { texts, ended, left } = await start('--only', 'quarantine');

    expect([await ended, texts.err]).toEqual([0, '']);
    const shown = texts.out.replaceAll(/\d+\.\d s/g, 'N s').split('\n');
    expect(
      shown
        .filter((line) => /^(?:---|ALARM after|OK after|\$)/.test(line))
        .map((line) => line.replace(/[-0-9a-f]{36}$/, 'ID')),
    ).toEqual([
      '--- 1 of 2: poller: entries in quarantine',
      'ALARM after N s: MembershipBridge poller: entries in quarantine',
      '$ npx membership-bridge quarantine list',
      '$ npx membership-bridge quarantine show local ID',
      '$ npx membership-bridge quarantine redrive local --yes',
      'OK after N s: poller: entries in quarantine',
      '--- 2 of 2: audit keeper: dead letters, poller: entries in quarantine',
      'ALARM after N s: MembershipBridge audit keeper: dead letters',
      'ALARM after N s: MembershipBridge poller: entries in quarantine',
      '$ npx membership-bridge dead-letters list "audit keeper"',
      '$ npx membership-bridge logs "audit keeper"',
      '$ npx membership-bridge quarantine list',
      '$ npx membership-bridge dead-letters redrive "audit keeper" --yes',
      'OK after N s: audit keeper: dead letters',
      'OK after N s: poller: entries in quarantine',
    ]);
    expect(shown).toContain('  1 entry of local published.');
    expect(shown).toContain('  1 letter of audit keeper delivered.');
    expect(texts.out).toMatch(/^audit keeper: dead letters +\d+\.\d s +\d+\.\d s$/m);
    expect(shown.filter((line) => line.length > 80 && !line.includes('membership-bridge '))).toEqual([]);
    expect(left()).toEqual([]);
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const { child, texts, ended, left } = await start('--only', 'gap');
    await until(() => texts.out.includes('--- 1 of 1'));
    const during = left();

    child.kill('SIGINT');

    expect([await ended, texts.err]).toEqual([130, '']);
    expect([during.length, left()]).toEqual([1, []]);
  });

  test.each([
    [['--only', 'nothing'], 'No alarm has "nothing" in its name. --list lists all.\n'],
    [['--minute', '3'], '--minute is not a time; write one such as 5s, 500ms or 1m.\n'],
  ])('says what is wrong with %j, and ends with 2', async (args, message) => {
    const { texts, ended } = await start(...args);

    expect([await ended, texts.err, texts.out]).toEqual([2, message, '']);
  });
});
