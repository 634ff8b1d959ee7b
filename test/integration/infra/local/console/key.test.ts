import { beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { afterAllTests } from '../../../../support/at-end.ts';
import {
  CHROMIUM,
  expectAccessible,
  expectNoSideways,
  openBrowser,
  openPage,
  type View,
} from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

const WRONG = '0'.repeat(32);

describe.skipIf(CHROMIUM === null)('the key of the console', () => {
  const atEnd = afterAllTests();
  let [run, browser]: [ConsoleRun, Browser] = [] as never;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
    browser = await openBrowser(atEnd);
  });

  const open = async (hash: string, view: View = {}): Promise<Page> =>
    (await openPage(browser, `${new URL(run.url).origin}/consumers${hash}`, view)).page;
  const stored = async (page: Page): Promise<string | null> =>
    await page.evaluate<string | null>(`localStorage.getItem('run-key')`);
  const field = (page: Page) => page.getByRole('textbox', { name: 'Key of the run, or the whole address' });
  const right = (): string => new URL(run.url).hash.replace('#key=', '');

  test.each(['', '#key=', `#key=${WRONG}`, '#key=<b>é'])(
    'is asked for where the link has "%s", and opens the page once it is right',
    async (hash) => {
      const page = await open(hash, { width: 360, colorScheme: 'dark' });
      await page.getByText('in the terminal where npm start runs').waitFor();
      expect(page.url()).not.toContain('key');
      expect(await stored(page)).toBeNull();
      await expectAccessible(page);
      await expectNoSideways(page);

      await field(page).fill(WRONG);
      await page.getByRole('button', { name: 'Open the console' }).click();
      await page.getByRole('alert').getByText('This needs the key of the run that answers here.').waitFor();
      expect(await stored(page)).toBeNull();
      await field(page).fill(hash === '' ? ` ${run.url} ` : right().toLowerCase());
      await page.keyboard.press('Enter');
      await page.getByText('Listens to').first().waitFor();
      expect(await stored(page)).toBe(right());
      expect(await field(page).count()).toBe(0);
    },
  );

  test('that is right stays, and the page goes on with it, where a link has a wrong one', async () => {
    const { page } = await openPage(browser, run.url);
    await page.getByText('Everything that the service has shown').waitFor();
    for (const go of [
      async () => await page.evaluate(`location.hash = '#key=${WRONG}'`),
      async () => await page.goto(`${new URL(run.url).origin}/consumers#key=${WRONG}`),
    ]) {
      await go();
      await page.getByText('The link has the key of another run, and changes nothing').waitFor();
      expect(await field(page).count()).toBe(1);
      expect(await stored(page)).toBe(right());
      expect(page.url()).not.toContain('key');
      await page.getByText('Live', { exact: true }).waitFor();
    }
    await page.getByText('Listens to').first().waitFor();
    await expectAccessible(page);
  });

  test('of the next run replaces that of the last one, in the tab of the last one too', async () => {
    const { page } = await openPage(browser, run.url);
    await page.getByText('Everything that the service has shown').waitFor();
    await page.evaluate(`localStorage.setItem('run-key', '${WRONG}')`);
    await page.evaluate(`location.hash = '${new URL(run.url).hash}'`);

    await expect.poll(async () => await stored(page)).toBe(right());
    await page.getByText('Everything that the service has shown').waitFor();
    expect(page.url()).not.toContain('key');
  });
});
