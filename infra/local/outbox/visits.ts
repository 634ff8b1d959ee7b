// Requests to the local endpoint that are no AWS calls: messages to webhooks, and the pages for people.
import type { Answer } from '../cloud/aws-call.ts';
import type { Outbox } from './outbox.ts';
import type { RunKey } from '../cloud/run-key.ts';
import { createWebhookEndpoint } from './webhook-endpoint.ts';
import { LOCAL_WEBHOOKS, type WebhookKind } from './webhooks.ts';

export type Visit = {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: () => Promise<string>;
};

/** Null for any other request. Pages and webhooks need the key of the run in their address. */
export type Visits = (visit: Visit) => Promise<Answer | null>;

const PAGES = { audit: '/audit' } as const;

const WRONG_KEY = 'This page needs the key of this run in its address. Open the address that npm start printed.\n';

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

/** Nothing on the page runs or is fetched. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'cache-control': 'no-store',
  // The address of the page has the key.
  'referrer-policy': 'no-referrer',
};

/** `audit` returns the page of the audit copy. A webhook of a service that is not available answers 503. */
export function createVisits({
  outbox,
  isAvailable = () => true,
  audit,
  key,
}: {
  outbox: Outbox;
  isAvailable?: ((kind: WebhookKind) => boolean) | undefined;
  audit: () => string;
  key: RunKey;
}): Visits {
  const kinds = Object.keys(LOCAL_WEBHOOKS) as WebhookKind[];
  const webhooks = kinds.map((kind) => {
    const service = LOCAL_WEBHOOKS[kind];
    const { post } = createWebhookEndpoint(kind, service, { outbox, isAvailable: () => isAvailable(kind) });
    return { service, post };
  });
  const pages: Readonly<Record<string, () => string | Promise<string>>> = {
    [PAGES.audit]: audit,
  };
  return async ({ method, path, body }) => {
    for (const { service, post } of method === 'POST' ? webhooks : []) {
      const to = service.read(path);
      if (to === null) continue;
      const answer = key.equals(to.key) ? post(to, await body()) : service.answers.forbidden;
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

/** The address of a local webhook, which is a secret, as those of the services are. */
export function webhookUrl(endpointUrl: string, to: { kind: WebhookKind; name: string }, key: RunKey): string {
  return `${endpointUrl}${LOCAL_WEBHOOKS[to.kind].pathOf(to.name, key.text)}`;
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
