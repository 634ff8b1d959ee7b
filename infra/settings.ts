// What cdk.json says of the bridge (context key `bridge`), checked as a whole before anything is built.
import type { Node } from 'constructs';
import * as z from 'zod/mini';
import { sourceShape, type SourceInput } from '../functions/poller/settings.ts';
import { integerInput, objectInput, patternInput, readInput } from '../functions/shared/checked-input.ts';

/** A source as the stack builds it. `settings` is as written, so that the poller reads what the operator wrote. */
export type BridgeSource = {
  settings: Omit<SourceInput, 'secretId'>;
  /** Minutes between two ticks of its schedule. */
  everyMinutes: number;
};

export type BridgeSettings = {
  /** Tells several bridges in one account apart; null for the only one. */
  environmentName: string | null;
  logRetentionDays: number;
  sources: BridgeSource[];
};

const DEFAULTS = { everyMinutes: 1, logRetentionDays: 30 } as const;

/** Days that CloudWatch Logs offers. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

const source = (now: number) =>
  objectInput({ ...sourceShape(now), everyMinutes: z._default(integerInput(1, 60), DEFAULTS.everyMinutes) });

const bridge = (now: number) =>
  objectInput({
    environmentName: z.optional(
      patternInput('1 to 20 letters, digits and hyphens, beginning with a letter', /[a-z][a-z0-9-]{0,19}/i),
    ),
    logRetentionDays: z._default(
      z.literal(RETENTION_DAYS, { error: `is not offered; write one of ${RETENTION_DAYS.join(', ')}` }),
      DEFAULTS.logRetentionDays,
    ),
    sources: z
      .array(source(now), { error: 'is missing or not a list; write the list of sources' })
      .check(z.minLength(1, { error: 'is empty; write at least one source' }), ({ value, issues }) => {
        for (const [index, { sourceId }] of value.entries())
          if (value.findIndex((other) => other.sourceId === sourceId) < index)
            issues.push({
              code: 'custom',
              input: sourceId,
              path: [index, 'sourceId'],
              message: 'is taken by another source; write one of its own, because the state lies under it',
            });
      }),
  });

/** Reads the context of an app. Throws one InvalidSettings whose message lists every problem; `now` is in ms since 1970. */
export function readBridgeSettings(node: Node, now: number): BridgeSettings {
  const written: unknown = node.tryGetContext('bridge');
  const read = readInput(bridge(now), written, {
    code: 'InvalidSettings',
    subject: 'The context "bridge" of cdk.json',
  });
  return {
    environmentName: read.environmentName ?? null,
    logRetentionDays: read.logRetentionDays,
    sources: (written as z.input<ReturnType<typeof bridge>>).sources.map(({ everyMinutes, ...settings }) => ({
      settings,
      everyMinutes: everyMinutes ?? DEFAULTS.everyMinutes,
    })),
  };
}
