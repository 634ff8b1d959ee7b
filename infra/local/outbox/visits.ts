// Requests to the local endpoint that are no AWS calls: messages to Slack, and the pages for people.
import PostalMime from 'postal-mime';
import type { Answer } from '../cloud/aws-call.ts';
import type { Outbox, Sent, SentSlack } from './outbox.ts';
import { CONTENT_POLICY, outboxPage, type ReadMail } from './page.ts';
import type { SlackEndpoint } from './slack-endpoint.ts';

export type Visit = { method: string; path: string; body: string };

/** Null for any other request. */
export type Visits = (visit: Visit) => Promise<Answer | null>;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'cache-control': 'no-store',
};

/** `audit` returns the page of the audit copy. */
export function createVisits({
  outbox,
  slack,
  audit,
}: {
  outbox: Outbox;
  slack: SlackEndpoint;
  audit: () => string;
}): Visits {
  const pages: Readonly<Record<string, () => string | Promise<string>>> = {
    '/audit': audit,
    '/outbox': async () => outboxPage(await Promise.all(outbox.all().map(read))),
  };
  return async ({ method, path, body }) => {
    if (method === 'POST' && path.startsWith('/services/'))
      return withHeaders(slack.post(path, body), { 'content-type': 'text/plain' });
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (method !== 'GET' || page === undefined) return null;
    return { status: 200, body: await page(), headers: PAGE_HEADERS };
  };
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
