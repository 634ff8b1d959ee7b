import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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

  test('is not green while a consumer fails with an event that is tried again', async () => {
    const { page, problems } = await openPage(browser, run.url);
    const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Consumers', exact: true }) });
    await card.getByText('fine', { exact: true }).waitFor();
    onTestFinished(() => run.world.local.faults.end('consumers-fail'));
    run.world.local.faults.begin('consumers-fail', 60_000);
    run.service.write({ actionKey: 'ContactUpdated' });
    await run.poll();

    await card.getByText('not fine', { exact: true }).waitFor();
    await card.getByText(/member-change: fails with \d+ events?/).waitFor();
    await page.getByRole('link', { name: 'Consumers' }).click();
    await page
      .getByText(/^fails with \d+ events?$/)
      .first()
      .waitFor();
    run.world.local.faults.end('consumers-fail');
    await page.getByRole('link', { name: 'Overview' }).click();
    await card.getByText('fine', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  }, 120_000);

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems } = await openPage(browser, run.url, { width: 360, colorScheme: 'dark' });
    await page.getByText('Everything that the service has shown').waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });
});
