import { beforeAll, describe, expect, test } from 'vitest';
import type { InvocationError } from '../../../../../infra/local/lambda/function-child.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage, setView } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

const HOSTILE = `<script>alert(1)</script>\u202Egnp.\u0007${'x'.repeat(300)}`;

const FAILURE: InvocationError = {
  errorType: 'TypeError',
  errorMessage: HOSTILE,
  at: 'functions/consumers/member-change/handler.ts:12:5',
};

describe.skipIf(CHROMIUM === null)('the page of consumers', () => {
  const atEnd = afterAllTests();
  let [run, failing]: [ConsoleRun, InvocationError | null] = [] as never;
  beforeAll(async () => {
    const failInvocation = (name: string) => (name.includes('MemberChange') ? failing : null);
    // Lambda's minutes before it tries again.
    run = await startConsoleRun(atEnd, { cloud: { failInvocation, minuteMs: 200 } });
    failing = FAILURE;
    run.service.write({ actionKey: 'ContactUpdated' });
    await run.poll();
  });

  test('shows a failure with its line and event, redrives the dead letter, and pauses what has a queue, and no other', async () => {
    const { page, problems } = await openPage(run.url);
    await page.getByRole('link', { name: 'Consumers' }).click();
    const card = page
      .locator('.card')
      .filter({ has: page.getByRole('heading', { name: 'member-change', exact: true }) });
    await card.locator('header').getByText('1 dead letter', { exact: true }).waitFor();
    expect(await card.getByText('0 times, failed 3 times').count()).toBe(1);
    expect(await card.getByText(FAILURE.at ?? '').count()).toBe(3);

    await card.getByRole('button', { name: 'Open the event' }).first().click();
    await page.getByRole('heading', { name: 'MemberChanged' }).waitFor();
    await card.getByRole('button', { name: '1 dead letter of member-change' }).click();
    await card.getByRole('button', { name: 'Show the letter' }).click();
    await card.getByText('"detail-type": "MemberChanged"').waitFor();
    await expectAccessible(page);
    failing = null;
    await card.getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('invokes its function with each').waitFor();
    await page.locator('dialog .primary').click();
    await page.getByRole('status').getByText('1 letter of member-change delivered.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

    await card.getByText('There is none that can be read now.').waitFor();
    await card.getByText('fine', { exact: true }).waitFor();

    await setView(page, { width: 360, colorScheme: 'dark' });
    const pauses = page.getByRole('button', { name: /^Pause / });
    expect(await pauses.evaluateAll((buttons) => buttons.map((one) => one.getAttribute('aria-label')))).toEqual(
      ['slack', 'teams', 'mail'].map((kind) => `Pause notifier example-${kind}`),
    );

    await page.getByRole('button', { name: 'Pause notifier example-mail' }).click();
    await page.locator('dialog .primary').click();
    await page.getByRole('status').getByText('notifier example-mail is paused').waitFor();
    // The button behind the dialog becomes another one: the result is still there, and the focus at what closes it.
    await page.locator('button[aria-label="Resume notifier example-mail"]').waitFor();
    expect(await page.getByRole('dialog', { name: 'Pause notifier example-mail' }).isVisible()).toBe(true);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Close');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Resume');

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });
});
