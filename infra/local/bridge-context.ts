// The settings of a run: what cdk.json says of the bridge, with the run's own source in the place of its sources.
import type { BridgeSettings } from '../settings.ts';
import { exampleChannels } from './channels.ts';

const ALL_CONSUMERS = { memberChange: true } satisfies Record<keyof BridgeSettings['consumers'], true>;

/** `context` is that of cdk.json; of several environments the first is run. With all consumers the notifier has channels too: those of cdk.json, or examples. What is wrong with it is found when it is synthesized. */
export function toRunContext(
  context: Readonly<Record<string, unknown>>,
  run: { source: { timeZone: string }; allConsumers: boolean },
): { bridge: Record<string, unknown> } {
  const { bridge } = context;
  const written: unknown = Array.isArray(bridge) ? bridge[0] : bridge;
  const all = run.allConsumers ? allOn(written, run.source.timeZone) : {};
  return { bridge: { ...(written as object), ...all, sources: [run.source] } };
}

function allOn(written: unknown, timeZone: string): object {
  const { notifier } = (written ?? {}) as { notifier?: object };
  return { consumers: ALL_CONSUMERS, notifier: notifier ?? { channels: exampleChannels(timeZone) } };
}
