import { beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openBrowser, openPage } from '../../../../support/browser.ts';
import { until } from '../../../../support/until.ts';
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

  test('opens in a second tab without the address, and rests where nobody looks', async () => {
    const { page } = await openPage(browser, run.url);
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Events' }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    const count = tab.getByText(/^\d+ events?$/);
    await count.waitFor();
    const counted = async (): Promise<number> => Number.parseInt((await count.textContent()) ?? '');
    const look = async (isHidden: boolean): Promise<void> =>
      await tab.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    await look(true);
    const before = await counted();
    run.service.write({ actionKey: 'PostCreated' });
    await until(async () => (await run.poll(), [...run.cloud.events()].length > before), 30_000);
    await page.waitForTimeout(500);
    expect(await counted()).toBe(before);
    await look(false);
    await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems } = await openPage(browser, run.url, { width: 360, colorScheme: 'dark' });
    await page.getByText('Everything that the service has shown').waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });
});
