// Requests to the local endpoint that are no AWS calls: messages to Slack, and the pages for people.
import PostalMime from 'postal-mime';
import type { Answer } from '../cloud/aws-call.ts';
import type { Outbox, Sent, SentSlack } from './outbox.ts';
import { CONTENT_POLICY, outboxPage, type ReadMail } from './page.ts';
import type { RunKey } from '../cloud/run-key.ts';
import type { SlackEndpoint } from './slack-endpoint.ts';

export type Visit = { method: string; path: string; body: () => Promise<string> };

/** Null for any other request. Pages and webhooks need the key of the run in their address. */
export type Visits = (visit: Visit) => Promise<Answer | null>;

const PAGES = { outbox: '/outbox', audit: '/audit' } as const;

const WEBHOOKS = '/services/T00000000/';

const WRONG_KEY = 'This page needs the key of this run in its address. Open the address that npm start printed.\n';

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'cache-control': 'no-store',
  // The address of the page has the key.
  'referrer-policy': 'no-referrer',
};

/** `audit` returns the page of the audit copy. */
export function createVisits({
  outbox,
  slack,
  audit,
  key,
}: {
  outbox: Outbox;
  slack: SlackEndpoint;
  audit: () => string;
  key: RunKey;
}): Visits {
  const pages: Readonly<Record<string, () => string | Promise<string>>> = {
    [PAGES.audit]: audit,
    [PAGES.outbox]: async () => outboxPage(await Promise.all(outbox.all().map(read))),
  };
  return async ({ method, path, body }) => {
    if (method === 'POST' && path.startsWith(WEBHOOKS)) {
      const [given = ''] = path.slice(WEBHOOKS.length).split('/');
      const answer = key.equals(given) ? slack.post(path, await body()) : { status: 403, body: 'invalid_token' };
      return withHeaders(answer, TEXT_HEADERS);
    }
    const [name = '', query] = path.split('?', 2);
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (method !== 'GET' || page === undefined) return null;
    if (!key.equals(new URLSearchParams(query).get('key') ?? ''))
      return { status: 403, body: WRONG_KEY, headers: TEXT_HEADERS };
    return { status: 200, body: await page(), headers: PAGE_HEADERS };
  };
}

/** The address of a page for people. */
export function pageUrl(endpointUrl: string, page: keyof typeof PAGES, key: RunKey): string {
  return `${endpointUrl}${PAGES[page]}?key=${key.text}`;
}

/** The address of a webhook of the local Slack, which is a secret, as those of Slack are. */
export function webhookUrl(endpointUrl: string, channel: string, key: RunKey): string {
  return `${endpointUrl}${WEBHOOKS}${key.text}/${encodeURIComponent(channel)}`;
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** Parses a mail; returns anything else as it is. */
export async function read(sent: Sent): Promise<ReadMail | SentSlack> {
  if (sent.kind === 'slack') return sent;
  const { subject = '', html = '', text = '' } = await PostalMime.parse(Buffer.from(sent.raw, 'base64'));
  return { ...sent, subject, html, text };
}
