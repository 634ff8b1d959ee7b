// The settings of a run: what cdk.json says of the bridge, with the run's own source in the place of its sources.
import type { BridgeSettings } from '../settings.ts';

const ALL_CONSUMERS = { memberChange: true } satisfies Record<keyof BridgeSettings['consumers'], true>;

/** `context` is that of cdk.json; of several environments the first is run. What is wrong with it is found when it is synthesized. */
export function toRunContext(
  context: Readonly<Record<string, unknown>>,
  run: { source: object; allConsumers: boolean },
): { bridge: Record<string, unknown> } {
  const { bridge } = context;
  const written: unknown = Array.isArray(bridge) ? bridge[0] : bridge;
  const consumers = run.allConsumers ? { consumers: ALL_CONSUMERS } : {};
  return { bridge: { ...(written as object), ...consumers, sources: [run.source] } };
}
