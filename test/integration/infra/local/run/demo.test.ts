import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentBlocks } from '../../../../support/document-blocks.ts';
import { lines, start } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';
import { run } from '../../../operator/command.ts';

test('npm start -- --demo has an audit copy with sealed days, which the printed and documented commands verify', async () => {
  const state = join(await temporaryFolder(), 'state');
  const demo = start(['--state', state, '--demo', '--minute', '1s']);
  await until(() => demo.out().includes('audit verify'), 120_000);
  const printed = lines(demo.out()).find((line) => line.includes('audit verify')) ?? '';
  const documented = documentBlocks('docs/settings.md', 'sh').filter(({ heading }) => heading === 'The audit copy');
  const commands = [printed, ...documented.map(({ text }) => text.replaceAll('.local/', `${state}/`))];

  for (const command of commands) {
    const { code, out, err } = await run('sh', ['-c', command]);

    expect({ code, err: err.replaceAll(/^npm warn.*\n/gm, '') }).toEqual({ code: 0, err: '' });
    expect(Number(/Sealed +(\d+) days/.exec(out)?.[1])).toBeGreaterThan(5);
  }
  expect(commands).toHaveLength(3);
});
