// What the deliverer needs around it.
import type { DestinationKeys, DestinationTable } from '../destinations/ports.ts';
import type { DestinationRules, Destination } from '../destinations/destination.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Sender } from './send/sender.ts';

/** What becomes one notice on the bus. */
export type Telling = { sourceId: string } & (
  | { type: 'WebhookEndpointDisabled'; name: string; why: string; at: number }
  | { type: 'WebhookEndpointFailing'; name: string; failingSince: number; at: number }
  | { type: 'WebhookDeliveriesGivenUp'; name: string; count: number; at: number }
);

export type Surroundings = {
  table: DestinationTable;
  keys: DestinationKeys;
  sender: Sender;
  clock: Clock;
  log: Log;
  settings: { rules: DestinationRules; destinations: readonly Destination[] };
  /** Asks for a sweep of a destination after so many seconds, at most 900. Losing it costs a minute. */
  hint: (name: string, afterSeconds: number) => Promise<void>;
  tell: (telling: Telling) => Promise<void>;
};
