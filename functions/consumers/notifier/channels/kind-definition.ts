// What settings and infrastructure know of a kind of channel.
import type * as z from 'zod/mini';

export type KindDefinition = {
  /** The settings that only this kind has. */
  settings: z.core.$ZodShape;
  /** Whose address the channel's secret holds, such as "Slack channel office". Null if it needs no secret. */
  addressOf(channel: { name: string }): string | null;
  /** The address from which the channel sends by SES, or null. */
  sesSenderOf?(channel: { name: string }): string | null;
};
