// `npx node test/tools/pictures/write.ts` writes the pages of docs/pictures, and pictures if Chromium is installed.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pages, type Page } from './pages.ts';

const run = promisify(execFile);
const FOLDER = resolve(import.meta.dirname, '../../../docs/pictures');
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

/** The first installed browser; null if there is none. */
async function findBrowser(): Promise<string | null> {
  for (const browser of BROWSERS) if (await run(browser, ['--version']).catch(() => null)) return browser;
  return null;
}

async function takePicture(browser: string, { name, width, height }: Page, profile: string): Promise<void> {
  await run(browser, [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    `--user-data-dir=${profile}`,
    `--window-size=${width},${height}`,
    `--screenshot=${join(FOLDER, `${name}.png`)}`,
    `file://${join(FOLDER, `${name}.html`)}`,
  ]);
}

await mkdir(FOLDER, { recursive: true });
for (const { name, html } of pages()) await writeFile(join(FOLDER, `${name}.html`), html);
const browser = await findBrowser();
if (browser === null) {
  console.log(`The pages are in ${FOLDER}. There is no Chromium here, so no pictures were taken of them.`);
} else {
  const profile = await mkdtemp(join(tmpdir(), 'pictures-'));
  for (const page of pages()) await takePicture(browser, page, profile);
  await rm(profile, { recursive: true, force: true });
  console.log(`The pages and pictures are in ${FOLDER}.`);
}
