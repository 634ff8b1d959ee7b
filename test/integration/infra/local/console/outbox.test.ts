import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Page } from 'playwright-core';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';
import { until } from '../../../../support/until.ts';

/** Markup, a reversal of the writing, and a word that is wider than a phone. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}`;

/** A mail that tries everything to reach that address. */
const hostileHtml = (
  evil: string,
): string => `<!doctype html><html><head><meta http-equiv="refresh" content="0; url=${evil}/refresh">
<link rel="stylesheet" href="${evil}/style.css"><link rel="preconnect" href="${evil}/"><link rel="preload" as="image" href="${evil}/p">
<style>@import '${evil}/import.css'; body { background: url(${evil}/back.png) }</style></head>
<body>The contents<script>parent.document.title = 'taken'; top.location = '${evil}/top'</script>
<img src="${evil}/pixel.png"><iframe src="${evil}/frame"></iframe>
<form action="${evil}/form" method="post"><button>Send</button></form>
<a href="${evil}/link" target="_self">A link</a></body></html>`;

/** Of a browser. */
type Styles = { getComputedStyle: (element: unknown) => { backgroundColor: string } };

describe.skipIf(CHROMIUM === null)('the outbox', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  const send = async (subject: string, html: string): Promise<void> => {
    const head = `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=\r\nContent-Type: text/html; charset=utf-8`;
    await run.cloud.call('ses', 'SendEmail', {
      FromEmailAddress: 'bridge@example.org',
      Destination: { ToAddresses: ['office@example.org'] },
      Content: { Raw: { Data: Buffer.from(`${head}\r\n\r\n${html}`).toString('base64') } },
    });
  };
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
  });

  const open = async (view = {}) => {
    const opened = await openPage(run.url, view);
    await opened.page.getByRole('link', { name: 'Outbox' }).click();
    return { ...opened, frame: opened.page.frameLocator('iframe') };
  };

  /** An alarm's mail comes by itself where the test takes long: it is newer, so the oldest of a kind is the one. */
  const row = (page: Page, text: string) =>
    page.getByRole('list', { name: 'Messages' }).getByRole('button').filter({ hasText: text }).last();

  test('shows what is sent as it comes: a mail, Slack and Teams, for a phone, as text, in the dark', async () => {
    const { page, problems, frame } = await open();
    await page.getByText('Nothing was sent yet.').waitFor();
    await expectAccessible(page);

    run.service.write({ actionKey: 'ContactCreated', memberName: HOSTILE });
    await run.poll();
    await until(() => run.cloud.services.ses.resources.all().length >= 3);
    await page.getByText(/^\d+ messages/).waitFor();
    for (const kind of ['Mail', 'Slack', 'Teams']) {
      await row(page, kind).click();
      await frame.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    }
    await row(page, 'Mail').click();
    await page.getByRole('button', { name: 'Phone' }).click();
    expect((await page.locator('iframe').boundingBox())?.width).toBe(375);
    const back = async (): Promise<string> =>
      await frame
        .locator('body')
        .evaluate((body) => (globalThis as unknown as Styles).getComputedStyle(body).backgroundColor);
    const light = await back();
    await page.getByRole('button', { name: 'Dark' }).click();
    await expect.poll(back).not.toBe(light);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('The message as text').getByText('joined').waitFor();
    expect(problems).toEqual([]);
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems, frame } = await open({ width: 360, colorScheme: 'dark' });
    await row(page, 'A member joined').click();
    // The first in a mail is its preview, which is hidden.
    await frame.getByText('joined').filter({ visible: true }).first().waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });

  test('lets nothing in a mail run, fetch or lead away', async () => {
    let connections = 0;
    const evil = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    onTestFinished(() => void evil.close());
    await once(evil, 'listening');
    await send(HOSTILE, hostileHtml(`http://127.0.0.1:${(evil.address() as AddressInfo).port}`));
    const { page, frame } = await open();
    await row(page, '\\u202e').click();
    await frame.getByText('The contents').waitFor();
    await frame.getByRole('button', { name: 'Send' }).click();
    await frame.getByRole('link').click();
    await page.waitForTimeout(1_000);

    expect(connections).toBe(0);
    expect(page.context().pages()).toHaveLength(1);
    expect(await page.title()).toBe('Outbox – membership event bridge');
    await page.getByRole('heading', { name: '\\u202e' }).waitFor();
    await expectNoSideways(page);
  });

  test('gives a frame only to who has the key, and the document a policy of its own', async () => {
    const { origin, hash } = new URL(run.url);
    const ask = async (key: string) => await fetch(`${origin}/api/outbox/0/frame?key=${key}`);

    const { headers } = await ask(hash.slice('#key='.length));

    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; frame-ancestors 'self'; sandbox$/);
    expect((await ask('')).status).toBe(403);
    expect((await ask('0'.repeat(32))).status).toBe(403);
  });
});
