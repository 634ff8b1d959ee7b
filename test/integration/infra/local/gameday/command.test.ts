// @module-tag long
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
  test('brings an alarm about, runs the commands of its section, and ends with 0 when it is over', async () => {
    const { texts, ended, left } = await start('--only', 'credentials');

    expect([await ended, texts.err]).toEqual([0, '']);
    const shown = texts.out.replaceAll(/\d+\.\d s/g, 'N s').split('\n');
    expect(shown.filter((line) => /^(?:---|ALARM after|OK after|\$)/.test(line))).toEqual([
      '--- 1 of 1: poller: credentials refused',
      'ALARM after N s: MembershipBridge poller: credentials refused',
      '$ npx membership-bridge status',
      '$ npx membership-bridge credentials set local --yes',
      'OK after N s: poller: credentials refused',
    ]);
    expect(texts.out).toContain('takes them, and they are stored');
    expect(texts.out).toMatch(/^poller: credentials refused +\d+\.\d s +\d+\.\d s$/m);
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
