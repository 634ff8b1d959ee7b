import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openBrowser, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

describe.skipIf(CHROMIUM === null)('what the console says of the service', () => {
  const atEnd = afterAllTests();
  let [run, browser]: [ConsoleRun, Browser] = [] as never;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
    browser = await openBrowser(atEnd);
  });

  test('is each learned fact with its evidence, and the windows on a line of time', async () => {
    run.service.write({ actionKey: 'ContactUpdated' });
    await run.poll();
    const { page, problems } = await openPage(browser, run.url, { width: 360, colorScheme: 'dark' });
    await page.getByRole('link', { name: 'The service' }).click();

    await page.getByText('With every poll.').waitFor();
    expect(await page.locator('.timeline .span.asked').count()).toBe(3);
    expect(await page.locator('.timeline .dot').count()).toBeGreaterThan(0);
    const fact = page.getByRole('listitem').filter({ hasText: 'The time of an entry is at' });
    await fact.getByText('The evidence').click();
    await fact.getByText('"form": "offset"').waitFor();
    await fact.getByText(/^A3: what is open/).click();
    await fact.getByText(/learns from pages which field is the entry's time/).waitFor();
    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });
});
