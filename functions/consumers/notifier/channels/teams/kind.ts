import type { KindDefinition } from '../kind-definition.ts';

/** A channel of Microsoft Teams. Its secret has the address of a workflow that posts what it receives. */
export const TEAMS_KIND = {
  settings: {},
  addressOf: ({ name }) => `Teams channel ${name}`,
} satisfies KindDefinition;
