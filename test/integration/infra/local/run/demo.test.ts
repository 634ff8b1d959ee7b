import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentBlocks } from '../../../../support/document-blocks.ts';
import { start } from '../../../../support/npm-start.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';
import { run } from '../../../operator/command.ts';

const BIN = 'functions/operator/membership-bridge.mjs';

test('npm start -- --demo has an audit copy with sealed days, which the printed and documented commands verify', async () => {
  const state = join(await temporaryFolder(), 'state');
  const demo = start(['--state', state, '--demo', '--minute', '1s']);
  const printedIn = (out: string) =>
    /^ {2}npx membership-bridge audit verify (?:.*\\\n)+ {4}--head \d+:[0-9a-f]{64}$/m.exec(out);
  await until(() => printedIn(demo.out()) !== null);
  const [printed = ''] = printedIn(demo.out()) ?? [];
  const documented = documentBlocks('docs/settings.md', 'sh').filter(({ heading }) => heading === 'The audit copy');
  // Without head or table, the first documented one says that the end is not known.
  const codes = [0, 4, 0];
  // That npx finds the command is seen once.
  const direct = documented.map(({ text }) => text.replaceAll('npx membership-bridge', `"${process.execPath}" ${BIN}`));
  const commands = [printed, ...direct.map((text) => text.replaceAll('.local/', `${state}/`))];

  for (const [index, command] of commands.entries()) {
    const { code, out, err } = await run('sh', ['-c', command]);

    expect({ code, err: err.replaceAll(/^npm warn.*\n/gm, '') }).toEqual({ code: codes[index], err: '' });
    expect(Number(/Sealed +(\d+) days/.exec(out)?.[1])).toBeGreaterThan(5);
  }
  expect(commands).toHaveLength(3);
});
