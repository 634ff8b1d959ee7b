// A real browser for the tests of pages. Nothing is downloaded.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { CHROMIUM } from './chromium.mjs';

export { CHROMIUM };

/** It asks nobody on the network. In a container it runs as root, which its sandbox refuses. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

let browser: Promise<Browser> | undefined;

/** The files of a worker share it, and each page has its own context. It ends with the worker that has its pipe. */
export async function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? '', args: ARGUMENTS });
  return await browser;
}

export type View = { width?: number; height?: number; colorScheme?: 'light' | 'dark' };

/**
 * A page on which nothing may fail: no request, no script, no violation of its content policy. It is closed after the
 * test, because an open one draws every second.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 900, colorScheme = 'light' }: View = {},
): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  onTestFinished(async () => await page.context().close());
  // Each command of the operator takes seconds where all tests run at once.
  page.setDefaultTimeout(240_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith('data:'))
      problems.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };

/** What axe-core finds on the page as it is now; its best practices included. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page's content policy refuses scripts of others, so this one comes through the debugger.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate(
    async () => await (globalThis as unknown as { axe: { run: () => Promise<AxeResult> } }).axe.run(),
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  expect(found).toEqual([]);
}

/** Nothing is wider than the screen. */
export async function expectNoSideways(page: Page): Promise<void> {
  const { width } = page.viewportSize() ?? {};
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
}
