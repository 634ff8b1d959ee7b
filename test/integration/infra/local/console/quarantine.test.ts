import { beforeAll, describe, expect, test } from 'vitest';
import { readStored } from '../../../../../infra/local/cloud/stored.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.\u0007';

describe.skipIf(CHROMIUM === null)('the page of the quarantine', () => {
  const atEnd = afterAllTests();
  let [run, isRefusing]: [ConsoleRun, boolean] = [] as never;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd, {
      cloud: {
        intercept: async ({ service, operation, body }, proceed) => {
          if (!isRefusing || `${service}:${operation}` !== 'eventbridge:PutEvents' || !body.includes('note'))
            return await proceed();
          const refused = { ErrorCode: 'MalformedDetail', ErrorMessage: HOSTILE };
          return { status: 200, body: JSON.stringify({ FailedEntryCount: 1, Entries: [refused] }) };
        },
      },
    });
    isRefusing = true;
    run.service.write({ actionKey: 'ContactUpdated', details: { note: HOSTILE } });
    await run.poll();
    isRefusing = false;
    run.service.write({ actionKey: 'ContactUpdated', details: { note: 'x'.repeat(1_100_000) } });
    await run.poll();
  });

  test('says why each entry is there, shows one, publishes what was refused, and removes what is too large', async () => {
    const before = [...run.cloud.services.eventbridge.resources.events()].length;
    const { page, problems } = await openPage(run.url, { width: 360, colorScheme: 'dark' });
    await page.getByRole('link', { name: 'Quarantine' }).click();
    const refused = page.getByRole('listitem').filter({ hasText: 'The bus refused its event for good' });
    const large = page.getByRole('listitem').filter({ hasText: 'It is too large for the bus' });

    await large.getByRole('button', { name: /^Show/ }).click();
    await page.getByText('That is its beginning.').waitFor();
    await large.getByRole('button', { name: /^Hide/ }).click();
    await refused.getByRole('button', { name: /^Show/ }).click();
    await refused.locator('pre').getByText('<img src=x onerror=alert(1)>').waitFor();
    await expectAccessible(page);
    await expectNoSideways(page);

    await refused.getByRole('button', { name: /^Publish again/ }).click();
    await page.locator('dialog .primary').click();
    await page.getByRole('status').getByText('1 entry of local published.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await refused.waitFor({ state: 'detached' });
    expect([...run.cloud.services.eventbridge.resources.events()].length).toBe(before + 1);

    await large.getByRole('button', { name: /^Remove/ }).click();
    await page.locator('dialog .primary').click();
    await page.getByRole('status').getByText('Removed from quarantine of local').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByText('Nothing is kept: the bus has accepted every entry of local.').waitFor();
    expect((await readStored(run.cloud, 'local')).quarantined).toEqual([]);
    expect(problems).toEqual([]);
  });
});
