// The CDK's entry: cdk.json names this file.
import { Aspects, App, Validations, type AppProps, type StageSynthesisOptions } from 'aws-cdk-lib';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks } from 'cdk-nag';
import { BridgeError } from '../functions/shared/errors.ts';
import { DATA } from '../functions/source/fixed-names.ts';
import { BridgeStack } from './bridge-stack.ts';
import type { AuditProps } from './constructs/audit/audit.ts';
import { tracing } from './constructs/tracing.ts';
import { ConsumersStack, type DestinationsProps } from './consumers-stack.ts';
import { DataStack } from './data-stack.ts';
import { checkLimits } from './limits.ts';
import { checkRegions } from './regions.ts';
import type { FoundConsumer } from './settings/consumers/consumer-folders.ts';
import { type BridgeSettings, readEnvironments } from './settings/settings.ts';

/** An app whose synthesis fails for what AWS would refuse. */
class BridgeApp extends App {
  readonly #region: string | null;

  constructor(region: string | null, props: AppProps) {
    super(props);
    this.#region = region;
  }

  override synth(options?: StageSynthesisOptions): CloudAssembly {
    const assembly = super.synth(options);
    checkRegions(assembly, this.#region);
    checkLimits(this, assembly);
    return assembly;
  }
}

/**
 * The app as the context describes it, with the project's `consumers`, for a region where that is known. An AWS
 * Solutions finding fails the synthesis unless it is acknowledged.
 */
export function createApp(props?: AppProps, consumers?: readonly FoundConsumer[], region: string | null = null): App {
  const app = new BridgeApp(region, { analyticsReporting: false, autoSynth: false, ...props });
  // The CDK's own check of the number of resources names no setting; checkLimits does.
  app.node.setContext('@aws-cdk/core:stackResourceLimit', 0);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  for (const settings of readEnvironments(app.node, Date.now(), consumers)) addStacks(app, settings);
  return app;
}

/** The stacks of one environment. `cdk deploy --all` deploys them in this order. */
function addStacks(app: App, settings: BridgeSettings): void {
  const { environmentName, consumers, notifier, formerApiDestinations, logLevel, logRetentionDays } = settings;
  const name = ['MembershipBridge', environmentName].filter((part) => part !== null).join('-');
  const data = new DataStack(app, `${name}${DATA}`, { ...settings, bridgeName: name });
  const bridge = new BridgeStack(app, name, { ...settings, data });
  const { alarms, logGroupName } = bridge;
  const audit = auditOf(settings, data);
  if (settings.tracing) Aspects.of(bridge).add(tracing);
  const dashboardOf = settings.dashboard ? logGroupName : null;
  const isEmpty = consumers.length + notifier.channels.length + formerApiDestinations.length === 0;
  const destinations = destinationsOf(settings, data);
  if (isEmpty && destinations === null && audit === null && dashboardOf === null) return;
  const surroundings = { logLevel, logRetentionDays, bus: data.bus, alarms, bridgeName: name, dashboardOf };
  const parts = { consumers, notifier, destinations, formerApiDestinations, audit, ...surroundings };
  const consumersStack = new ConsumersStack(app, `${name}-Consumers`, parts);
  if (settings.tracing) Aspects.of(consumersStack).add(tracing);
}

function destinationsOf({ destinations: settings }: BridgeSettings, data: DataStack): DestinationsProps | null {
  const { destinationsTable: table, destinationKeys: keys, auditBucket } = data;
  return settings === null || keys === null ? null : { settings, table, keys, auditBucket };
}

function auditOf({ audit, sources }: BridgeSettings, data: DataStack): Omit<AuditProps, 'bridgeName'> | null {
  if (audit === null || data.auditBucket === null) return null;
  const sealed = sources.map(({ settings }) => data.withSecret(settings));
  return { settings: audit, bucket: data.auditBucket, table: data.table, sources: sealed };
}

/** Prints what is wrong with the settings, without a stack trace, which would not help. */
function synthesize(): void {
  try {
    // The CDK's command writes there where it deploys to.
    createApp(undefined, undefined, process.env['CDK_DEFAULT_REGION'] ?? null).synth();
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.main) synthesize();
