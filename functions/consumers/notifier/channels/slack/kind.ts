import type { KindDefinition } from '../kind-definition.ts';

/** A channel of Slack. Its secret has the address of an incoming webhook. */
export const SLACK_KIND = {
  settings: {},
  addressOf: ({ name }) => `Slack channel ${name}`,
} satisfies KindDefinition;
