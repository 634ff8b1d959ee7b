import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../../../../functions/events/event.ts';
import { Problem } from '../../../../../functions/shared/problem.ts';
import { consumerFiles } from '../../../../../infra/local/new-consumer/files.ts';
import { newConsumer } from '../../../../../infra/local/new-consumer/new-consumer.ts';
import { findConsumers } from '../../../../../infra/settings/consumers/consumer-folders.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const MAX_COLUMNS = 80;
const MAX_NAME = `a${'b'.repeat(30)}`;

/** A project with a consumer and a notifier. */
async function aProject(): Promise<string> {
  const project = await temporaryFolder();
  for (const name of ['crm', 'Notifications'])
    await mkdir(join(project, 'functions/consumers', name), { recursive: true });
  await mkdir(join(project, 'test/unit/consumers'), { recursive: true });
  await writeFile(join(project, 'test/unit/consumers/left-over.test.ts'), '');
  return project;
}

describe('a new consumer', () => {
  test('is a folder that the stack finds, with a handler and a test', async () => {
    const project = await aProject();

    const said = newConsumer(['payment-receipt', '--on', 'PaymentChanged'], project);

    const files = Object.entries(consumerFiles('payment-receipt', 'PaymentChanged'));
    expect(files.map(([path]) => path)).toEqual([
      'functions/consumers/payment-receipt/consumer.ts',
      'functions/consumers/payment-receipt/handler.ts',
      'test/unit/consumers/payment-receipt.test.ts',
    ]);
    for (const [path, text] of files) expect(await readFile(join(project, path), 'utf8')).toBe(text);
    expect(findConsumers(project)).toEqual([
      {
        name: 'payment-receipt',
        definition: { description: 'Receives PaymentChanged', detailTypes: ['PaymentChanged'] },
        eventPattern: { source: ['membership.actionlog'], 'detail-type': ['PaymentChanged'] },
      },
    ]);
    expect(said).toContain('npm run test:unit -- payment-receipt');
    expect(said).toContain('npm run trigger -- PaymentChanged');
    // No action brings a notice about.
    expect(newConsumer(['watch-gaps', '--on', 'GapDetected'], project)).toContain(
      'npm run trigger -- --sample --to watch-gaps\n',
    );
  });

  test.each([...DETAIL_TYPES, ...NOTICE_TYPES])(
    'on %s has no placeholder left, and says what is next in 80 columns',
    async (type) => {
      const project = await aProject();

      const said = newConsumer([MAX_NAME, '--on', type], project);

      expect(said.split('\n').filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
      expect(Object.values(consumerFiles(MAX_NAME, type)).join('')).not.toMatch(/\{(?:name|type|field|value)\}|''/);
    },
  );

  test.each<[string[], RegExp]>([
    [[], /^Write a name and one detail type: npm run new-consumer -- payment-receipt --on PaymentChanged$/],
    [['pay-back'], /^Write a name/],
    [['--on', 'PaymentChanged'], /^Write a name/],
    [['pay', 'back', '--on', 'PaymentChanged'], /^Write a name/],
    [['pay-back', '--on', 'PaymentChanged', '--on', 'DebtChanged'], /^Write a name/],
    [['pay-back', '--when', 'PaymentChanged'], /^Write a name/],
    [
      ['pay-back', '--on', 'PaymentsChanged'],
      /^The detail type PaymentsChanged is not known; did you mean "PaymentChanged"\?$/,
    ],
    [
      ['pay-back', '--on', 'Money\u001B[2J'],
      /^The detail type Money\\u001b\[2J is not known; known are MemberChanged, /,
    ],
    [['crm', '--on', 'TagChanged'], /^functions\/consumers\/crm exists already; write another name\.$/],
    [['notifications', '--on', 'TagChanged'], /^functions\/consumers\/Notifications exists already; write another/],
    [['left-over', '--on', 'TagChanged'], /^test\/unit\/consumers\/left-over\.test\.ts exists already; write another/],
    [['Pay-Back', '--on', 'TagChanged'], /^The name Pay-Back does not have the right form; write words of two or more/],
    [['../crm', '--on', 'TagChanged'], /^The name \.\.\/crm does not have the right form/],
    [['notifier', '--on', 'TagChanged'], /^The name notifier is reserved for the bridge or the system; write another/],
    [[`${MAX_NAME}b`, '--on', 'TagChanged'], /^The name ab+ has 32 characters; write at most 31\.$/],
  ])('is refused with %j in one line, and nothing is made', async (args, line) => {
    const project = await aProject();
    const before = await readdir(project, { recursive: true });

    const make = (): string => newConsumer(args, project);

    expect(make).toThrow(Problem);
    expect(make).toThrow(line);
    expect((await readdir(project, { recursive: true })).toSorted()).toEqual(before.toSorted());
    expect(existsSync(join(project, 'functions/consumers/pay-back'))).toBe(false);
  });
});
