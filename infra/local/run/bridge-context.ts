// The settings of a run: the bridge in cdk.json, with the run's own source instead of the configured ones.
import type { BridgeSettings } from '../../settings/settings.ts';
import { exampleChannels } from './channels.ts';

const ALL_CONSUMERS = { memberChange: true } satisfies Record<keyof BridgeSettings['consumers'], true>;

/**
 * `context` is that of cdk.json; the first of several environments runs. The synthesis reports what is wrong. With all
 * all consumers there are also notifier channels (cdk.json's, or examples) and an audit copy. Never API destinations.
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

/** A line if the run leaves out something in cdk.json; otherwise null. */
export function leftOutLine(context: Readonly<Record<string, unknown>>): string | null {
  const { apiDestinations } = writtenIn(context);
  if (!Array.isArray(apiDestinations) || apiDestinations.length === 0) return null;
  return `The ${apiDestinations.length} apiDestinations of cdk.json are left out, because a run on this machine posts nothing to real receivers.`;
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
