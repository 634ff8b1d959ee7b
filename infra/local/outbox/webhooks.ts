import { LOCAL_SLACK } from './slack/slack.ts';
import { LOCAL_TEAMS } from './teams/teams.ts';

/** The services whose webhooks exist on this machine, by the kind of their channels. */
export const LOCAL_WEBHOOKS = { slack: LOCAL_SLACK, teams: LOCAL_TEAMS };

export type WebhookKind = keyof typeof LOCAL_WEBHOOKS;

export function isWebhookKind(kind: string): kind is WebhookKind {
  return Object.hasOwn(LOCAL_WEBHOOKS, kind);
}
