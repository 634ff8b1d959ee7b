// Requests to the local endpoint that are no AWS calls: messages to webhooks.
import type { Answer } from '../platform/aws-call.ts';
import type { Outbox } from './outbox.ts';
import type { RunKey } from '../platform/run-key.ts';
import { createWebhookEndpoint } from './webhook-endpoint.ts';
import { LOCAL_WEBHOOKS, type WebhookKind } from './webhooks.ts';

type Visit = {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: () => Promise<string>;
};

/** Null for any other request. A webhook needs the key of the run in its address. */
export type Visits = (visit: Visit) => Promise<Answer | null>;

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

/** A webhook of a service that is not available answers 503. */
export function createVisits({
  outbox,
  isAvailable = () => true,
  key,
}: {
  outbox: Outbox;
  isAvailable?: ((kind: WebhookKind) => boolean) | undefined;
  key: RunKey;
}): Visits {
  const kinds = Object.keys(LOCAL_WEBHOOKS) as WebhookKind[];
  const webhooks = kinds.map((kind) => {
    const service = LOCAL_WEBHOOKS[kind];
    const { post } = createWebhookEndpoint(kind, service, { outbox, isAvailable: () => isAvailable(kind) });
    return { service, post };
  });
  return async ({ method, path, body }) => {
    for (const { service, post } of method === 'POST' ? webhooks : []) {
      const to = service.read(path);
      if (to === null) continue;
      if (!key.equals(to.key)) return withHeaders(service.answers.forbidden, TEXT_HEADERS);
      const channel = decoded(to.encodedChannel);
      return withHeaders(channel === null ? NO_CHANNEL : post({ channel }, await body()), TEXT_HEADERS);
    }
    return null;
  };
}

const NO_CHANNEL = { status: 400, body: 'The name of the channel in this address is not a text in UTF-8.' };

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The address of a local webhook, which is a secret, as those of the services are. */
export function webhookUrl(endpointUrl: string, to: { kind: WebhookKind; name: string }, key: RunKey): string {
  return `${endpointUrl}${LOCAL_WEBHOOKS[to.kind].pathOf(to.name, key.text)}`;
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...headers, ...answer.headers } };
}
