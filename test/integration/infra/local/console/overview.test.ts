import { beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openBrowser, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

describe.skipIf(CHROMIUM === null)('the overview', () => {
  const atEnd = afterAllTests();
  let [run, browser]: [ConsoleRun, Browser] = [] as never;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
    browser = await openBrowser(atEnd);
  }, 240_000);

  test('says that the source is fine, pauses it by two clicks, and then says why it is not', async () => {
    const { page, problems } = await openPage(browser, run.url);
    await page.getByText('Everything that the service has shown was read and published.').waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Pause polling' }).click();
    await page.getByText('acme sends no request to its service until it is resumed.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Carry it out' }).click();
    await page.getByRole('status').getByText('acme is paused').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByText('Paused by arn:aws:').waitFor();
    await page.getByRole('button', { name: 'Resume polling' }).click();
    await page.getByRole('button', { name: 'Carry it out' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Everything that the service has shown').waitFor();
    expect(problems).toEqual([]);
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems } = await openPage(browser, run.url, { width: 360, colorScheme: 'dark' });
    await page.getByText('Everything that the service has shown').waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });
});
