// The settings of a run: what cdk.json says of the bridge, with the run's own source in the place of its sources.
import type { BridgeSettings } from '../../settings/settings.ts';
import { exampleChannels } from './channels.ts';

const ALL_CONSUMERS = { memberChange: true } satisfies Record<keyof BridgeSettings['consumers'], true>;

/**
 * `context` is that of cdk.json; of several environments the first is run. What is wrong with it is found when it is synthesized. With all consumers the notifier
 * has channels too, and there is an audit copy: as cdk.json has them, or examples. API destinations are left out: they would post to receivers of the real world.
 */
export function toRunContext(
  context: Readonly<Record<string, unknown>>,
  run: { source: { timeZone: string }; allConsumers: boolean },
): { bridge: Record<string, unknown> } {
  const written = writtenIn(context);
  const all = run.allConsumers ? allOn(written, run.source.timeZone) : {};
  const { apiDestinations: _elsewhere, ...here } = written;
  return { bridge: { ...here, ...all, sources: [run.source] } };
}

/** A line where the run leaves out what cdk.json has; null where it does not. */
export function leftOutLine(context: Readonly<Record<string, unknown>>): string | null {
  const { apiDestinations } = writtenIn(context);
  if (!Array.isArray(apiDestinations) || apiDestinations.length === 0) return null;
  return `The ${apiDestinations.length} apiDestinations of cdk.json are left out: on this machine nothing is posted to the real world.`;
}

function writtenIn({ bridge }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: unknown = Array.isArray(bridge) ? bridge[0] : bridge;
  return (written ?? {}) as Record<string, unknown>;
}

function allOn({ notifier, audit }: Record<string, unknown>, timeZone: string): object {
  return {
    consumers: ALL_CONSUMERS,
    notifier: notifier ?? { channels: exampleChannels(timeZone) },
    audit: audit ?? {},
  };
}
