import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { until } from '../../../../support/until.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe\u0007 <script>alert(2)</script>';

describe.skipIf(CHROMIUM === null)('the events of the console', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
  });

  const openEvents = async (view = {}): Promise<{ page: Page; problems: string[] }> => {
    const opened = await openPage(run.url, view);
    await opened.page.getByRole('link', { name: 'Events' }).click();
    return opened;
  };

  test('appear by themselves, are found by member, and show their way to each consumer, which gets one again', async () => {
    const { page, problems } = await openEvents();
    run.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada Tanaka' });
    run.service.write({ actionKey: 'PaymentCreated', memberName: 'Leïla Smith' });
    await run.poll();
    const list = page.getByRole('list', { name: 'Events, newest first' });
    await list.getByText('Leïla Smith').waitFor();

    await page.getByRole('searchbox', { name: 'Member' }).fill('ada t');
    await page
      .getByRole('status')
      .getByText(/^1 event of/)
      .waitFor();
    await list.getByRole('button', { name: /Ada Tanaka/ }).click();
    const chosen = page.getByRole('region', { name: 'The chosen event' });
    await chosen.getByText('delivered').first().waitFor();
    await expectAccessible(page);
    await chosen.getByRole('button', { name: 'Send again to member-change' }).click();
    await chosen.getByRole('button', { name: 'Sent again to member-change' }).waitFor();

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chosen.getByRole('button', { name: 'Copy as test event' }).click();
    await chosen.getByText('Copied').waitFor();
    const copied = JSON.parse(await page.evaluate('navigator.clipboard.readText()')) as { detail: object };
    expect(copied).toMatchObject({
      'detail-type': 'MemberChanged',
      detail: { metadata: { actionKey: 'ContactUpdated' } },
    });
    expect(run.feed.deliveriesOf((copied.detail as { metadata: { id: string } }).metadata.id).length).toBeGreaterThan(
      1,
    );
    expect(`${page.url()} ${await page.title()}`).not.toMatch(/ada|tanaka/i);
    expect(problems).toEqual([]);
  });

  test('keep filters and the open event in the address, and no name of a member', async () => {
    const { page, problems } = await openEvents();
    run.service.write({ actionKey: 'ContactUpdated', memberName: 'Ada Tanaka' });
    await run.poll();
    await page.getByRole('combobox', { name: 'Detail type' }).selectOption('MemberChanged');
    await page.getByRole('searchbox', { name: 'Action key' }).fill('contactupd');
    await page.getByRole('searchbox', { name: 'Member' }).fill('ada');
    const list = page.getByRole('list', { name: 'Events, newest first' });
    await list
      .getByRole('button', { name: /Ada Tanaka/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'The chosen event' }).getByText('Published').waitFor();

    await page.reload();

    await page.getByRole('region', { name: 'The chosen event' }).getByText('Published').waitFor();
    expect(await page.getByRole('combobox', { name: 'Detail type' }).inputValue()).toBe('MemberChanged');
    expect(await page.getByRole('searchbox', { name: 'Action key' }).inputValue()).toBe('contactupd');
    expect(page.url()).toMatch(/\/events\?type=MemberChanged&action=contactupd&event=[\w-]{36}$/);
    await page.getByRole('button', { name: 'Close' }).click();
    expect(page.url()).not.toContain('event=');
    expect(problems).toEqual([]);
  });

  test('stay under the pointer while new ones come, and under the word LOCAL with their zone', async () => {
    const { page } = await openEvents();
    const write = (of: number): void => {
      for (let entry = 0; entry < of; entry += 1) run.service.write({ actionKey: 'ContactUpdated' });
    };
    write(60);
    await run.poll();
    await page.getByText(/^[6-9]\d events/).waitFor();
    const list = page.getByRole('list', { name: 'Events, newest first' });
    await list.hover({ position: { x: 100, y: 60 } });

    write(2);
    const before = await list.evaluate((element) => [element.scrollTop, element.scrollHeight]);
    await run.poll();
    await until(async () => (await list.evaluate((element) => element.scrollHeight)) > (before[1] ?? 0));

    const after = await list.evaluate((element) => [element.scrollTop, element.scrollHeight]);
    // What was added above is scrolled away.
    expect((after[0] ?? 0) - (before[0] ?? 0)).toBeCloseTo((after[1] ?? 0) - (before[1] ?? 0), -1);
    expect(await page.getByRole('navigation').textContent()).toMatch(/LOCAL.*Times are in \w+/);
  });

  test('show a hostile name as text, its invisible characters by their numbers', async () => {
    const { page, problems } = await openEvents({ width: 360, colorScheme: 'dark' });
    run.service.write({ actionKey: 'ContactUpdated', memberName: HOSTILE });
    await run.poll();
    const row = page.getByRole('list', { name: /newest first/ }).getByRole('button', { name: /onerror/ });
    await row.click();

    const chosen = page.getByRole('region', { name: 'The chosen event' });
    await chosen.getByText('onerror=alert(1)>\\u202egnp.exe\\u0007').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });

  test('stay where they are for whoever goes through them by keys, and get the focus back from a closed one', async () => {
    const { page, problems } = await openEvents();
    run.service.write({ actionKey: 'ContactUpdated', memberName: 'Somebody old' });
    await run.poll();
    const list = page.getByRole('list', { name: 'Events, newest first' });
    await list.getByRole('button', { name: /Somebody old/ }).focus();
    const all = [...run.cloud.services.eventbridge.resources.events()].length + 60;
    for (let n = 0; n < 60; n += 1) run.service.write({ actionKey: 'PostCreated' });
    await until(async () => (await run.poll(), [...run.cloud.services.eventbridge.resources.events()].length >= all));
    await page.getByText(`${all} events`).waitFor();
    expect((await list.boundingBox())?.height).toBeLessThan(900);
    expect(await list.getByRole('listitem').count()).toBeLessThan(50);

    const focused = async () => await page.evaluate('document.activeElement.textContent');
    expect(await focused()).toContain('Somebody old');
    await page.keyboard.press('Enter');
    await page.getByText(/^Happened/).waitFor();
    expect(await focused()).toBe('MemberChanged');
    await page.getByRole('button', { name: 'Close' }).press('Enter');
    expect(await focused()).toContain('Somebody old');
    expect(problems).toEqual([]);
  });

  test('stay where they are while the list is held', async () => {
    const { page } = await openEvents();
    const count = page.getByRole('status').filter({ hasText: 'event' });
    await page.getByRole('list', { name: /newest first/ }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const held = await count.textContent();
    run.service.write({ actionKey: 'ContactUpdated', memberName: 'Somebody new' });
    await run.poll();

    await page.getByText('there are newer ones').waitFor();
    expect(await count.textContent()).toContain(held?.split(',')[0] ?? '?');
    expect(await page.getByText('Somebody new').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Somebody new').waitFor();
  });
});
