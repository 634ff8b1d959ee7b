import { parse } from 'parse5';
import { describe, expect, test, vi } from 'vitest';
import { openOutbox } from '../../../../../infra/local/outbox/outbox.ts';
import { outboxPage, type ReadMail } from '../../../../../infra/local/outbox/page.ts';
import { createSes } from '../../../../../infra/local/outbox/ses.ts';
import { createSlackEndpoint } from '../../../../../infra/local/outbox/slack-endpoint.ts';
import { slackHtml } from '../../../../../infra/local/outbox/slack-html.ts';
import { createRunKey } from '../../../../../infra/local/cloud/run-key.ts';
import { createVisits } from '../../../../../infra/local/outbox/visits.ts';
import type { Outbox, Sent } from '../../../../../infra/local/outbox/outbox.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)> <!channel> & *b*';
const PATH = '/services/T00000000/B00000000/office';

function anOutbox(): Outbox {
  const sent: Sent[] = [];
  return { keep: (one) => void sent.push(one), all: () => sent, close: () => {} };
}

/** The names of all elements, including those inside a mail's frame. */
function elementsIn(html: string): string[] {
  const names: string[] = [];
  const walk = (node: object): void => {
    if ('tagName' in node) names.push(String(node.tagName));
    if ('childNodes' in node) for (const child of node.childNodes as object[]) walk(child);
  };
  walk(parse(html));
  return names;
}

describe('the local Slack', () => {
  test('keeps a message under the name of its channel and answers ok', () => {
    const outbox = anOutbox();

    const answer = createSlackEndpoint(outbox).post(PATH, '{"text":"Hello"}');

    expect(answer).toMatchObject({ status: 200, body: 'ok' });
    expect(outbox.all()).toMatchObject([{ kind: 'slack', channel: 'office', payload: { text: 'Hello' } }]);
  });

  test('accepts a message a second per channel, and says when to retry (D11, D12)', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const outbox = anOutbox();
    const slack = createSlackEndpoint(outbox);
    const post = (path: string): number => slack.post(path, '{"text":"Hello"}').status;

    const first = [post(PATH), post(PATH), post('/services/T/B/other')];
    vi.advanceTimersByTime(1_000);
    const later = post(PATH);
    vi.useRealTimers();

    expect(first).toEqual([200, 429, 200]);
    expect(later).toBe(200);
    expect(slack.post(PATH, '{').status).toBe(400);
  });

  test('answers 429 with the seconds to wait', () => {
    const slack = createSlackEndpoint(anOutbox());
    slack.post(PATH, '{"text":"Hello"}');

    expect(slack.post(PATH, '{"text":"Hello"}')).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  });

  test.each([
    ['{', 'invalid_payload'],
    ['[]', 'no_text'],
    ['{"other":1}', 'no_text'],
    [JSON.stringify({ blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }), 'invalid_blocks'],
  ])('refuses %.30s like Slack', (body, word) => {
    const outbox = anOutbox();

    expect(createSlackEndpoint(outbox).post(PATH, body)).toEqual({ status: 400, body: word });
    expect(outbox.all()).toEqual([]);
  });

  test('answers 503 while it is down', () => {
    const slack = createSlackEndpoint(anOutbox(), { isAvailable: () => false });

    expect(slack.post(PATH, '{"text":"Hello"}').status).toBe(503);
  });
});

describe('the local SES', () => {
  const mail = {
    FromEmailAddress: 'bridge@example.org',
    Destination: { ToAddresses: ['office@example.org'] },
    Content: { Raw: { Data: Buffer.from('Subject: Hello\r\n\r\nText').toString('base64') } },
  };

  test('keeps a mail', () => {
    const outbox = anOutbox();

    const answer = createSes(outbox)['SendEmail']?.(mail);

    expect(answer).toEqual({ MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(outbox.all()).toMatchObject([{ kind: 'mail', from: 'bridge@example.org', to: ['office@example.org'] }]);
  });

  test('refuses a mail without recipients, and names an unsupported property', () => {
    const { SendEmail = () => {} } = createSes(anOutbox());

    expect(() => SendEmail({ ...mail, Destination: {} })).toThrow('1 to 50 recipients');
    expect(() => SendEmail({ ...mail, Content: { Simple: {} } })).toThrow(
      'the property Simple of the content of a mail',
    );
    expect(() => SendEmail({ ...mail, ConfigurationSetName: 'x' })).toThrow('the property ConfigurationSetName');
    expect(() => SendEmail({ ...mail, Destination: { BccAddresses: ['x@y'] } })).toThrow('the property BccAddresses');
  });
});

test('the outbox keeps what was sent in earlier runs, in order', async () => {
  const file = `${await temporaryFolder()}/outbox.ndjson`;
  const before = openOutbox(file);
  before.keep({ kind: 'slack', at: 1, channel: 'office', payload: { text: 'First' } });
  before.close();

  const outbox = openOutbox(file);
  outbox.keep({ kind: 'mail', at: 2, from: 'a@b.c', to: ['d@e.f'], raw: '' });

  expect(outbox.all().map(({ at }) => at)).toEqual([1, 2]);
  outbox.close();
});

describe('the page of the outbox', () => {
  const slack = { kind: 'slack', at: 0, channel: HOSTILE, payload: { text: HOSTILE } } as const;
  const mail: ReadMail = {
    kind: 'mail',
    at: 0,
    raw: '',
    from: HOSTILE,
    to: [HOSTILE],
    subject: HOSTILE,
    text: HOSTILE,
    html: '<p>Hello</p><script>1</script>',
  };

  test('has no element from the content of messages (D13, D14)', () => {
    const elements = elementsIn(outboxPage([slack, mail], 'UTC'));

    expect(elements).not.toContain('script');
    expect(elements).not.toContain('img');
    expect(elements.filter((name) => name === 'iframe')).toHaveLength(1);
  });

  test('shows a mail in a frame that runs nothing and has no origin (D14)', () => {
    const page = outboxPage([mail], 'UTC');

    expect(page).toContain('<iframe sandbox="" title="Mail" srcdoc="&lt;p&gt;Hello&lt;/p&gt;&lt;script&gt;1');
  });

  test('shows texts of Slack literally, only web links as links, and lists as lists (D13)', () => {
    const text = (words: string) => ({ type: 'text', text: words });
    const html = slackHtml({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: HOSTILE } },
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [{ type: 'link', url: 'https://app.example/1', text: 'Ada', style: { bold: true } }],
            },
            { type: 'rich_text_list', elements: [{ type: 'rich_text_section', elements: [text('One')] }] },
            { type: 'rich_text_section', elements: [{ type: 'link', url: 'javascript:alert(1)', text: 'No' }] },
          ],
        },
        { type: 'context', elements: [{ type: 'plain_text', text: 'Small' }] },
        { type: 'divider' },
        { type: 'image', image_url: 'https://evil.example/x.png' },
      ],
    });

    expect(html).toContain('<a href="https://app.example/1" rel="noreferrer"><b>Ada</b></a>');
    expect(html).toContain('<ul><li>One</li></ul>');
    expect(html).not.toContain('javascript:');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;!channel&gt; &amp; *b*');
  });

  test('is shown only with the key of the run, runs nothing and tells nobody its address', async () => {
    const slack = createSlackEndpoint(anOutbox());
    const key = createRunKey();
    const visits = createVisits({ outbox: anOutbox(), slack, key, audit: () => 'The copy' });
    const get = async (path: string) => await visits({ method: 'GET', path, body: async () => '' });

    const page = await get(`/outbox?key=${key.text}`);

    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Nothing was sent yet') });
    expect(page?.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'/),
      'referrer-policy': 'no-referrer',
    });
    expect(await get(`/audit?key=${key.text}`)).toMatchObject({ body: 'The copy' });
    expect(await get('/outbox')).toMatchObject({ status: 403 });
    expect(await get(`/audit?key=${createRunKey().text}`)).toMatchObject({ status: 403 });
    expect(await get(`/other?key=${key.text}`)).toBeNull();
  });
});
