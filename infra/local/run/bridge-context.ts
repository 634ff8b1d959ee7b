// The settings of a run: the bridge in cdk.json, with the run's own source instead of the configured ones.
import { findConsumers, type FoundConsumer } from '../../settings/consumers/consumer-folders.ts';
import { exampleChannels } from './channels.ts';

type Context = Readonly<Record<string, unknown>>;
type Run = { source: { timeZone: string }; allConsumers: boolean; consumers?: readonly FoundConsumer[] };

/**
 * `context` is that of cdk.json; the first of several environments runs. The synthesis reports what is wrong. There is
 * an event log unless it says otherwise; with all consumers also notifier channels (its own, or examples) and an audit
 * copy. Never API destinations.
 */
export function toRunContext(context: Context, run: Run): { bridge: Record<string, unknown> } {
  const written = writtenIn(context);
  const all = run.allConsumers ? allOn(written, run) : {};
  const { apiDestinations: _elsewhere, ...here } = written;
  return { bridge: { eventLog: true, ...here, ...all, sources: [run.source] } };
}

/** A line for each part of cdk.json, or of all consumers, that the run leaves out. */
export function leftOutLines(
  context: Context,
  { allConsumers, consumers = findConsumers() }: Omit<Run, 'source'>,
): string[] {
  const { apiDestinations, consumers: set } = writtenIn(context);
  const receivers = Array.isArray(apiDestinations) ? apiDestinations.length : 0;
  const incomplete = allConsumers ? consumers.filter((one) => !isComplete(one, set)) : [];
  return [
    ...(receivers === 0
      ? []
      : [
          `The ${receivers} apiDestinations of cdk.json are left out, because a run on this machine posts nothing to real receivers.`,
        ]),
    ...incomplete.map(({ name }) => `The consumer ${name} is left out, because cdk.json does not have what it needs.`),
  ];
}

function writtenIn({ bridge }: Context): Record<string, unknown> {
  const written: unknown = Array.isArray(bridge) ? bridge[0] : bridge;
  return (written ?? {}) as Record<string, unknown>;
}

function allOn(written: Record<string, unknown>, { source, consumers = findConsumers() }: Run): object {
  const { notifier, audit, consumers: set } = written;
  const on = consumers.filter((one) => isComplete(one, set)).map(({ name }) => [name, settingOf(name, set) ?? true]);
  return {
    consumers: { ...(set as object | undefined), ...Object.fromEntries(on) },
    notifier: notifier ?? { channels: exampleChannels(source.timeZone) },
    audit: audit ?? {},
  };
}

/** What cdk.json sets for a consumer; null where it sets nothing. */
function settingOf(name: string, consumers: unknown): object | null {
  const setting = (consumers as Record<string, unknown> | undefined)?.[name];
  return typeof setting === 'object' ? setting : null;
}

/** Whether a consumer runs without settings, or has some: the synthesis says which are missing. */
function isComplete({ name, definition: { environment, secrets } }: FoundConsumer, consumers: unknown): boolean {
  return settingOf(name, consumers) !== null || !Object.values({ ...environment, ...secrets }).includes(null);
}
