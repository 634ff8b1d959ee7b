import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { manifestKey } from '../../../../../functions/audit/bucket-layout.ts';
import { readEverything } from '../../../../../infra/local/run/read-everything.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage, setView } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

const HOSTILE = `<script>alert(1)</script>\u202Egnp.\u0007${'x'.repeat(300)}`;

/** Of the sealed days, oldest first. */
function sealedDays({ cloud }: ConsoleRun): string[] {
  const data = [...cloud.services.eventbridge.resources.events()].map(
    ({ detail }) => detail['data'] as { kind?: string; day?: string } | null,
  );
  return data.flatMap((one) => (one?.kind === 'day' ? [one.day ?? ''] : []));
}

describe.skipIf(CHROMIUM === null)('the page of the audit copy', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  beforeAll(async () => {
    const history = { entries: 30, days: 8 };
    run = await startConsoleRun(atEnd, { settings: { startFrom: 'beginning' }, service: { history } });
    await readEverything(run.cloud, 'local');
    await run.cloud.seal('local');
    for (const stream of run.cloud.services.firehose.resources.all()) stream.flush();
    run.service.write({ actionKey: HOSTILE });
    await run.poll();
  });

  test('verifies the copy, marks the day whose manifest somebody has deleted, and names the setting if there is none', async () => {
    const sealed = Object.entries(Object.groupBy(sealedDays(run), (day) => day.slice(0, 7)));
    const [, [day = '', next = ''] = []] = sealed.findLast(([, days = []]) => days.length > 1) ?? [];
    const { page, problems } = await openPage(run.url);
    await page.getByRole('link', { name: 'Audit' }).click();
    if (!sealed.at(-1)?.[1]?.includes(day)) await page.getByRole('button', { name: 'Previous month' }).click();
    const ofDay = page.locator(`[data-day="${day}"]`);
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByRole('status').getByText('Nothing is missing, added or changed').waitFor();
    expect(await ofDay.innerText()).toMatch(/✓\s.*: sealed, \d+ entr/s);

    const { resources } = run.cloud.services.s3;
    rmSync(join(resources.folderOf(resources.names()[0] ?? ''), manifestKey('local', day, 0)));
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByRole('status').getByText('1 finding', { exact: true }).waitFor();
    expect(await ofDay.innerText()).toMatch(/!\s.*: 1 finding/s);
    await ofDay.press('Enter');
    await page.getByText(`Manifests missing: ${manifestKey('local', day, 0)}`).waitFor();
    await ofDay.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.dataset.day')).toBe(next);
    await page.getByText('The whole report').click();
    await expectAccessible(page);

    // The newest events of it.
    await setView(page, { width: 360, colorScheme: 'dark' });
    await page.getByText(`OtherActionLogged ${HOSTILE.slice(0, 20)}`).waitFor();
    await expectAccessible(page);
    await expectNoSideways(page);

    await page.route('**/api/audit', async (route) => await route.fulfill({ json: { copy: null } }));
    await page.reload();
    const said = page.getByText('There is no audit copy: the setting audit is off.');
    await said.waitFor();
    expect(await said.innerText()).toContain('"audit": {}');
    expect(problems).toEqual([]);
  });
});
