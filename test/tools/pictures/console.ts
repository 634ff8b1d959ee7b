// `npx node test/tools/pictures/console.ts ADDRESS` writes the pictures of docs/console.md from a run: ADDRESS is what
// `npm start -- --demo --every 5s --fault service-down@90s-169s` prints as its console, after five minutes.
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../../support/chromium.mjs';

const FOLDER = resolve(import.meta.dirname, '../../../docs/pictures');

type Picture = {
  name: string;
  link: string;
  width?: number;
  colorScheme?: 'dark';
  prepare?: (page: Page) => Promise<void>;
};

const PICTURES: readonly Picture[] = [
  { name: 'console-overview', link: 'Overview' },
  {
    name: 'console-events',
    link: 'Events',
    prepare: async (page) => await page.locator('.events button', { hasText: 'MemberChanged' }).first().click(),
  },
  { name: 'console-service', link: 'The service' },
  { name: 'console-outbox', link: 'Outbox' },
  {
    name: 'console-audit',
    link: 'Audit',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Verify now' }).click();
      await page.locator('.calendar .sealed button').last().click();
      await page.getByText('The whole report').waitFor();
    },
  },
  {
    name: 'console-make',
    link: 'Simulate',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'ContactUpdated' }).click();
      await page.waitForTimeout(8_000);
    },
  },
  { name: 'console-phone', link: 'Overview', width: 360, colorScheme: 'dark' },
];

const [address] = process.argv.slice(2);
if (address === undefined || CHROMIUM === null) throw new Error('Name the address of a console; Chromium is needed.');
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
for (const { name, link, width = 1280, colorScheme = 'light', prepare } of PICTURES) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  await page.goto(address);
  await page.getByRole('link', { name: link, exact: true }).click();
  // What comes live has come.
  await page.waitForTimeout(4_000);
  await prepare?.(page);
  await page.waitForTimeout(2_000);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
}
await browser.close();
console.log(`The pictures are in ${FOLDER}.`);
