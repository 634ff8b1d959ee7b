import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startConsole } from '../../../../../infra/local/console/console.ts';
import { afterAllTests } from '../../../../support/at-end.ts';
import { CHROMIUM, expectAccessible, expectNoSideways, openPage } from '../../../../support/browser.ts';
import { type ConsoleRun, startConsoleRun } from '../../../../support/console-run.ts';

/** Markup, a reversal of the writing, and a word that is wider than a phone. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}`;

describe.skipIf(CHROMIUM === null)('the page that makes something happen', () => {
  const atEnd = afterAllTests();
  let run: ConsoleRun;
  beforeAll(async () => {
    run = await startConsoleRun(atEnd);
  });

  const open = async (view = {}) => {
    const opened = await openPage(run.url, view);
    await opened.page.getByRole('link', { name: 'Simulate' }).click();
    await opened.page.getByLabel('Find an action').waitFor();
    return opened;
  };
  const ask = async (path: string, body: unknown) => {
    const { origin, hash } = new URL(run.url);
    const headers = { 'x-run-key': hash.slice('#key='.length) };
    const answer = await fetch(`${origin}/api/make${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, ...((await answer.json()) as { error?: string }) };
  };

  test('does an action at one click and follows its event to each consumer', async () => {
    const { page, problems } = await open();
    await page.getByLabel('Find an action').fill('contactupd');
    await page.getByRole('button', { name: 'ContactUpdated' }).click();
    const done = page.getByRole('list', { name: 'What was done' });
    await done.getByText('The next poll begins within').waitFor();

    await run.poll();

    await done.getByText(/Published as MemberChanged after \d/).waitFor();
    await done.getByText(/delivered member-change/).waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
  });

  test('sends a documented write with an example about a member of the list, and shows the answer', async () => {
    const { page, problems } = await open();
    await page.getByLabel('Operation').selectOption('createContact');
    const body = page.getByLabel('Body');
    await body.fill(JSON.stringify({ name: HOSTILE, email: 'hostile@example.org' }));
    const card = page.getByRole('form', { name: 'A request' });
    await card.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('The answer').getByText('<img src=x onerror=alert(1)>\\u202e').waitFor();

    await page.getByLabel('Operation').selectOption('createPayment');
    await page.getByLabel('About whom').selectOption({ index: 0 });
    await expect.poll(async () => await body.inputValue()).toMatch(/"contactId": "[0-9a-f-]{36}"/);
    await card.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('The answer').getByText('"amount": 25').waitFor();
    await page.getByLabel('Operation').selectOption('deletePayment');
    await expect.poll(async () => await page.getByLabel('Which one').inputValue()).toMatch(/^[0-9a-f-]{36}$/);
    await card.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('200').waitFor();

    expect(
      run.service
        .written()
        .slice(-3)
        .map(({ actionKey }) => actionKey),
    ).toEqual(['ContactCreated', 'PaymentCreated', 'PaymentDeleted']);
    expect(problems).toEqual([]);
  });

  test('begins a fault, shows it while it is on, and ends it; sends a sample and a burst', async () => {
    const { page, problems } = await open();
    await page.getByLabel('For how many seconds').fill('600');
    await page.getByRole('button', { name: 'Begin service-down' }).click();
    await page.getByText(/until \d/).waitFor();
    expect(run.service.faults.unavailable).toBe(true);
    await page.getByRole('button', { name: 'End service-down' }).click();
    await page.getByRole('button', { name: 'Begin service-down' }).waitFor();
    expect(run.service.faults.unavailable).toBe(false);

    await page.getByRole('combobox', { name: 'Consumer' }).selectOption('member-change');
    await page.getByRole('form', { name: 'A sample' }).getByRole('button').click();
    await page.getByText(/MemberChanged: it succeeded in \d|MemberChanged is in its queue/).waitFor();
    const before = run.service.written().length;
    await page.getByRole('spinbutton', { name: 'Actions' }).fill('150');
    await page.getByRole('form', { name: 'A burst' }).getByRole('button').click();
    await page.getByText('Wrote 150 actions').waitFor();
    expect(run.service.written()).toHaveLength(before + 150);
    expect(problems).toEqual([]);
  });

  test('is accessible in the dark and at 360 pixels, where nothing is wider than the screen, whoever is a member', async () => {
    run.service.write({ actionKey: 'ContactCreated', memberName: HOSTILE });
    const { page, problems } = await open({ width: 360, colorScheme: 'dark' });
    await page.getByLabel('About whom').locator('option').first().waitFor({ state: 'attached' });

    await expectAccessible(page);
    await expectNoSideways(page);
    expect(problems).toEqual([]);
  });

  test('says of a real service that nothing is changed in it, and sends samples', async () => {
    const { facts } = run.world;
    const ofSource = { ...run.world, facts: { ...facts, personality: null }, local: null };
    const { url, close } = await startConsole(ofSource, { port: 0 });
    onTestFinished(close);
    const { page, problems } = await openPage(url);
    await page.getByRole('link', { name: 'Simulate' }).click();

    await page.getByText('This run polls a real service, in which nothing is changed from here.').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['A sample for one consumer']);
    await page.getByRole('form', { name: 'A sample' }).getByRole('button').click();
    await page.getByText(/succeeded in \d|is in its queue/).waitFor();
    expect(problems).toEqual([]);
  });

  test.each([
    ['a burst of more than 5,000', '/burst', { count: 5_001 }, 'count: write at most 5,000.'],
    ['a burst of half an action', '/burst', { count: 1.5 }, 'count: write a whole number from 1 to 5,000.'],
    ['a fault of more than ten minutes', '/faults', { name: 'service-down', seconds: 601 }, 'seconds: write at most'],
    ['an unknown fault', '/faults', { name: 'constructor', seconds: 1 }, 'name: '],
    ['a path in an id', '/write', { name: 'createTag', id: '../token', body: null }, 'id: write letters'],
    ['what is no write', '/write', { name: 'requestToken', id: '-', body: null }, 'name: '],
    ['a long body', '/write', { name: 'createTag', id: '-', body: 'x'.repeat(100_001) }, 'body: write at most'],
    ['an action without a name', '/trigger', { name: '' }, 'name: '],
  ])('refuses %s', async (_what, path, body, words) => {
    const written = run.service.written().length;

    expect(await ask(path, body)).toEqual({ status: 409, error: expect.stringContaining(words) });
    expect(run.service.written()).toHaveLength(written);
  });

  test('tells why a write was not answered while the service is down', async () => {
    run.service.faults.down = true;

    const answer = await ask('/write', { name: 'createTag', id: '-', body: '{}' });
    run.service.faults.down = false;

    expect(answer).toEqual({ status: 409, error: expect.stringContaining('A fault may be on.') });
  });
});
