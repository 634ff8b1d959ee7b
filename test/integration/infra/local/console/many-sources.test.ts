import { beforeAll, describe, expect, test } from 'vitest';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';
import { addMany } from '../../../../support/many-sources.ts';

const FAILING = [7, 40];
const since = Date.now() - 600_000;

/** Names in the table, from above. */
const ROWS = 'table.sources tbody th';

describe.skipIf(CHROMIUM === null)('the overview of many sources', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
    const { Schedules } = (await run.cloud.call('scheduler', 'ListSchedules', {})) as {
      Schedules: { Name: string; GroupName: string }[];
    };
    const group = Schedules.find(({ Name }) => Name === 'local')?.GroupName ?? '';
    await addMany(run.cloud, {
      like: 'local',
      group,
      count: 49,
      change: (index) =>
        FAILING.includes(index + 1)
          ? { failures: 4, failing: { code: 'ServiceUnavailable', message: 'It answered 503.', since } }
          : {},
    });
  }, 240_000);

  test('is a table, the worst first, that is searched by text and by state with the keyboard alone', async () => {
    const { page, problems } = await openPage(run.url);
    const rows = page.locator(ROWS);
    await page.getByRole('status').getByText('50 sources').waitFor();
    expect((await rows.allTextContents()).slice(0, 3)).toEqual(['club-007', 'club-040', 'club-001']);
    await expectAccessible(page);

    const search = page.getByRole('searchbox', { name: 'Search names and reasons' });
    await search.focus();
    await page.keyboard.type('CLUB-01');
    await page.getByText('10 of 50 sources').waitFor();
    await search.fill('serviceunavailable');
    await page.getByText('2 of 50 sources').waitFor();
    await search.fill('');
    await page.keyboard.press('Tab');
    // "all", then "not fine".
    await page.keyboard.press('ArrowDown');
    await page.getByText('2 of 50 sources').waitFor();
    expect(await rows.allTextContents()).toEqual(['club-007', 'club-040']);
    await page.getByRole('button', { name: 'club-040' }).focus();
    await page.keyboard.press('Enter');

    const whole = page.getByRole('region', { name: 'The source club-040' });
    await whole.getByText(/^4 runs in a row have failed since .*ServiceUnavailable/).waitFor();
    await whole.getByRole('button', { name: 'Pause club-040' }).waitFor();
    await expectAccessible(page);
    await whole.getByRole('button', { name: 'Back to the table' }).press('Enter');
    await expect.poll(async () => await page.evaluate('document.activeElement.textContent')).toBe('club-040');
    await search.fill('nobody');
    await page.getByText('No source has all of these words and this state.').waitFor();
    expect(problems).toEqual([]);
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems } = await openPage(run.url, { width: 360, colorScheme: 'dark' });
    await page.getByRole('status').getByText('50 sources').waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    await page.getByRole('button', { name: 'club-007' }).click();
    await page.getByRole('region', { name: 'The source club-007' }).waitFor();
    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });

  test('removes a source that a command has added, and offers it for no source of cdk.json', async () => {
    const { page, problems } = await openPage(run.url);
    await page.getByRole('button', { name: 'club-049' }).click();
    await page.getByRole('button', { name: 'Remove club-049' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Undo: membership-bridge sources add').waitFor();
    await dialog.getByRole('button', { name: 'Remove club-049' }).click();
    await dialog.getByText('club-049: polled no more.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('status').getByText('49 sources').waitFor();
    await page.getByRole('button', { name: 'local', exact: true }).click();
    await page.getByRole('button', { name: 'Pause local' }).waitFor();

    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
