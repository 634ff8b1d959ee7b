// What lies beside the code of a function while its code is reloaded.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAssembly } from '../../../../../infra/local/cloudformation/assembly.ts';
import { readDefinitions } from '../../../../../infra/local/cloud/definitions.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';
import { RunningCode } from '../../../../../infra/local/reload/running-code.ts';
import { allConsumersAssembly } from '../../../../support/all-consumers.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

test('the channels of the notifier stay beside its code', async () => {
  const assembly = await readAssembly(await allConsumersAssembly());
  const { functions } = readDefinitions(readStacks(assembly.stacks));
  const notifier = functions.find(({ environment }) => 'NOTIFIER_QUEUES' in environment);
  const codeFolder = join(await temporaryFolder(), 'asset.notifier');
  await cp(assembly.assetFolder(notifier?.assetKey ?? ''), codeFolder, { recursive: true });
  const channels = await readFile(join(codeFolder, 'channels.json'), 'utf8');
  await writeFile(join(codeFolder, 'index.js'), '// Older code.');
  let reloaded = '';
  const replaceCode = async (_name: string, folder: string): Promise<void> => {
    reloaded = await readFile(join(folder, 'channels.json'), 'utf8');
  };
  const place = { folder: await temporaryFolder(), replaceCode };
  const running = new RunningCode({ name: 'notifier', shortName: 'notifier', codeFolder }, place);

  const first = await running.renew();
  const second = await running.renew();
  await running.close();
  await rm(codeFolder, { recursive: true });

  expect([first, second]).toEqual([
    { isNew: true, problems: [] },
    { isNew: false, problems: [] },
  ]);
  expect(reloaded).toBe(channels);
});
