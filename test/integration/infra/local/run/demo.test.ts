import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentBlocks } from '../../../../support/document-blocks.ts';
import { start } from '../../../../support/npm-start.ts';
import { operatorHere } from '../../../../support/operator-commands.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';
import { until } from '../../../../support/until.ts';
import { run } from '../../../operator/command.ts';

/** Runs a printed command in this process. */
const operateAs = async (command: string) =>
  await operatorHere()(...command.replaceAll('\\\n', ' ').trim().split(/\s+/).slice(2));

const BIN = 'functions/operator/membership-bridge.mjs';

test('npm start -- --demo has an audit copy with sealed days, which the printed and documented commands verify', async () => {
  const state = join(await temporaryFolder(), 'state');
  const demo = start(['--state', state, '--demo', '--minute', '1s']);
  const printedIn = (out: string) =>
    /^ {2}npx membership-bridge audit verify (?:.*\\\n)+ {4}--head \d+:[0-9a-f]{64}$/m.exec(out);
  await until(() => printedIn(demo.out()) !== null);
  const [printed = ''] = printedIn(demo.out()) ?? [];
  const documented = documentBlocks('docs/settings.md', 'sh').filter(({ heading }) => heading === 'The audit copy');
  const [ofFolder = '', ofTable = ''] = documented.map(({ text }) => text.replaceAll('.local/', `${state}/`));
  const direct = ofTable.replace('npx membership-bridge', `"${process.execPath}" ${BIN}`);

  const verified = [await operateAs(printed), await operateAs(ofFolder), await run('sh', ['-c', direct])];

  // Without head or table, the one of a folder says that the end is not known.
  expect(verified.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [4, ''],
    [0, ''],
  ]);
  for (const { out } of verified) expect(Number(/Sealed +(\d+) days/.exec(out)?.[1])).toBeGreaterThan(5);
  expect(documented).toHaveLength(2);
});
