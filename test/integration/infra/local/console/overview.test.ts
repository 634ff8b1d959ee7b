import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { until } from '../../../../support/until.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

/** A text on an axis of a chart, which is a canvas: where it begins and ends, and the width of the canvas. */
type Label = { text: string; left: number; right: number; width: number };

/** Keeps what each chart has written since it was last cleared. */
const RECORD_LABELS = `
  globalThis.labels = new Map();
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    globalThis.labels.set(this.canvas, []);
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { width } = this.measureText(text);
    const left = x - { center: width / 2, right: width, end: width }[this.textAlign] || x;
    globalThis.labels.get(this.canvas)?.push({ text, left, right: left + width, width: this.canvas.width });
    return fillText.call(this, text, x, y);
  };`;

/** Pixels of the first chart in the colour of an outage. */
const SHADED_PIXELS = `(() => {
  const canvas = document.querySelector('.chart canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const probe = document.createElement('i');
  probe.style.color = 'var(--bad-back)';
  document.body.append(probe);
  const wanted = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
  probe.remove();
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (wanted.every((part, index) => Math.abs(part - data[at + index]) < 2)) count += 1;
  return count;
})()`;

describe.skipIf(CHROMIUM === null)('the overview', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
  });

  // The first test, because it is about the first seconds.
  test('names each instant of its axes once and cuts none off, also in the first seconds of a run', async () => {
    for (const width of [1280, 360]) {
      const { page } = await openPage(run.url, { width });
      await page.addInitScript(RECORD_LABELS);
      await page.reload();
      await page.getByText('Everything that the service has shown').waitFor();
      await page.waitForTimeout(1_500);
      const charts = await page.evaluate<Label[][]>('[...globalThis.labels.values()]');
      expect(charts).toHaveLength(2);
      for (const labels of charts) {
        const clocks = labels.map(({ text }) => text).filter((text) => text.includes(':'));
        expect(clocks.length).toBeGreaterThan(0);
        expect(new Set(clocks).size).toBe(clocks.length);
        expect(labels.filter(({ left, right, width: whole }) => left < 0 || right > whole)).toEqual([]);
      }
    }
  });

  test('draws how far behind it is each second of an outage, shades it, and says when it was', async () => {
    const { page, problems } = await openPage(run.url);
    const behind = page.getByText(/^Behind, in seconds:/).locator('b');
    const seconds = async (): Promise<number> => Number(await behind.textContent());
    await behind.waitFor();
    await until(async () => (await run.poll(), (await seconds()) < 3));
    onTestFinished(() => void (run.service.faults.unavailable = false));
    run.service.faults.unavailable = true;
    await run.poll();
    await page.getByText(/^Shaded: .* since \d\d:\d\d:\d\d/).waitFor();
    expect(await page.getByRole('row', { name: 'ServiceUnavailable' }).first().textContent()).toContain('——Service');
    // By then, what the last poll has read is drawn.
    await page.waitForTimeout(1_500);
    const before = await seconds();
    await page.waitForTimeout(6_000);
    // Nobody has polled meanwhile.
    expect(await seconds()).toBeGreaterThanOrEqual(before + 5);
    expect(await page.evaluate(SHADED_PIXELS)).toBeGreaterThan(300);
    await expectAccessible(page);

    run.service.faults.unavailable = false;
    await until(async () => (await run.poll(), (await seconds()) < 3));
    await page.getByText(/^Shaded: .* from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d/).waitFor();
    expect(await page.evaluate(SHADED_PIXELS)).toBeGreaterThan(300);
    expect(problems).toEqual([]);
  });

  test('says that the source is fine, pauses it by two clicks, and then says why it is not', async () => {
    const { page, problems } = await openPage(run.url);
    await page.getByText('Everything that the service has shown was read and published.').waitFor();

    await page.getByRole('button', { name: 'Pause local' }).click();
    await page.getByText('local sends no request to its service until it is resumed.').waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Pause local' }).click();
    await page.getByRole('status').getByText('local is paused').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByText('Paused by arn:aws:').waitFor();
    await page.getByRole('button', { name: 'Resume local' }).click();
    await page.locator('dialog .primary').click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Everything that the service has shown').waitFor();
    expect(problems).toEqual([]);
  });

  test('opens in a second tab without the address, and rests where nobody looks', async () => {
    const { page } = await openPage(run.url);
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
    await until(async () => (await run.poll(), [...run.cloud.services.eventbridge.resources.events()].length > before));
    await page.waitForTimeout(500);
    expect(await counted()).toBe(before);
    await look(false);
    await expect.poll(counted).toBeGreaterThan(before);
  });

  test('is not green while a consumer fails with an event that is tried again', async () => {
    const { page, problems } = await openPage(run.url);
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
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen', async () => {
    const { page, problems } = await openPage(run.url, { width: 360, colorScheme: 'dark' });
    await page.getByText('Everything that the service has shown').waitFor();

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });

  test('leads to the service: each learned fact with its evidence, and the windows on a line of time', async () => {
    run.service.write({ actionKey: 'ContactUpdated' });
    await run.poll();
    const { page, problems } = await openPage(run.url, { width: 360, colorScheme: 'dark' });
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
