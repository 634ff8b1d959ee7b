// The words and the table of `status`.
import { MAX_UNKNOWN_ACTION_KEYS } from '../../source/service-profile.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/text-layout.ts';
import { durationText } from '../terminal/time-texts.ts';
import { type BackfillStatus, progressText } from '../backfill/progress.ts';
import type { BridgeStatus, ConsumerStatus, SourceStatus } from './status.ts';
import type { SweepReport } from './sweeps.ts';

const INDENT = '  ';

/** `withFacts` adds what is known of each source's service. */
export function printStatus(output: Output, status: BridgeStatus, { withFacts }: { withFacts: boolean }): void {
  const { stack, region, accountId, verdict, sources, consumers, alarms, unknown } = status;
  output.line(`${stack} in ${region}, account ${accountId}: ${verdict}`);
  output.line();
  output.table(['SOURCE', 'STATE', 'LAG', 'QUARANTINE', 'NEXT'], sources.map(sourceRow));
  for (const source of sources) printSource(output, source);
  if (consumers.length > 0) {
    output.line();
    output.table(['CONSUMER', 'STATE', 'DEAD LETTERS'], consumers.map(consumerRow));
    printBroken(output, consumers);
  }
  if (status.destinationsByCommand) {
    const made = counted(status.destinationsByCommand, 'destination is', 'destinations are');
    output.line();
    output.line(`${made} not in cdk.json. See: membership-bridge destinations export`, INDENT);
  }
  if (alarms.length > 0) output.line();
  for (const { name, reason } of alarms) output.line(`ALARM ${name}: ${reason}`, INDENT);
  if (unknown.length > 0) output.line();
  for (const action of unknown) output.line(notAllowed(action), INDENT);
  for (const { sourceId, facts } of withFacts ? sources : []) {
    output.line();
    output.line(`What is known of the service of ${sourceId} (the numbers are those of docs/membership-service.md):`);
    for (const { assumption, text } of facts) output.line(`${INDENT}${assumption.padEnd(4)} ${text}`, ' '.repeat(7));
  }
}

function sourceRow({ sourceId, verdict, lagMs, quarantined, next }: SourceStatus): string[] {
  const lag = lagMs === null ? '-' : durationText(lagMs);
  return [sourceId, verdict, lag, quarantined === null ? 'not known' : String(quarantined), next];
}

function printSource(output: Output, source: SourceStatus): void {
  const { sourceId, problems, unknown, sweeps, backfills, unknownActionKeys } = source;
  for (const problem of problems) output.line(`${sourceId}: ${problem}`, INDENT);
  for (const action of unknown) output.line(`${sourceId}: ${notAllowed(action)}`, INDENT);
  for (const sweep of sweeps) output.line(`${sourceId}: ${sweepText(sweep)}`, INDENT);
  for (const backfill of backfills) output.line(`${sourceId}: ${backfillText(backfill)}`, INDENT);
  if (unknownActionKeys.length > 0) output.line(`${sourceId}: ${actionKeysText(unknownActionKeys)}`, INDENT);
}

/** Nothing is lost with them, so they are no problem. */
function actionKeysText(keys: readonly string[]): string {
  const atLeast = keys.length < MAX_UNKNOWN_ACTION_KEYS ? '' : 'at least ';
  return (
    `${atLeast}${counted(keys.length, 'action key')} without a detail type (A7): ${keys.join(', ')}. Their events are ` +
    'OtherActionLogged. To get them, name them in actionKeys of a consumer, or give them a type with the setting detailTypes.'
  );
}

function notAllowed(action: string): string {
  return `Not known: AWS does not allow you ${action}.`;
}

/** Where a sweep stands: what is left of it, and since when it has been read. */
function sweepText({ level, isDeferred, windowsLeft, from, to, share, runs, startedAt }: SweepReport): string {
  const span = from === null ? `up to ${to ?? 'now'}` : `from ${from} to ${to ?? 'now'}`;
  const read = share === null ? '' : `${Math.floor(share * 100)} % of its span read, `;
  const left = `${read}${counted(windowsLeft, 'window')} left, ${span}`;
  return `a ${level} sweep is ${isDeferred ? 'deferred' : 'open'} since ${startedAt}, ${counted(runs, 'run')} so far: ${left}.`;
}

function backfillText(backfill: BackfillStatus): string {
  return `backfill ${backfill.id}, ${backfill.from} to ${backfill.to}: ${progressText(backfill, false)}.`;
}

function consumerRow({ name, state, deadLetters }: ConsumerStatus): string[] {
  return [name, state, deadLetters === null ? 'not known' : String(deadLetters)];
}

function printBroken(output: Output, consumers: readonly ConsumerStatus[]): void {
  for (const { name, deadLetters, state } of consumers) {
    if ((deadLetters ?? 0) > 0)
      output.line(
        `${name}: ${counted(deadLetters ?? 0, 'event')} could not be processed. See: membership-bridge dead-letters list "${name}"`,
        INDENT,
      );
    if (state === 'paused')
      output.line(`${name}: paused; its events wait. Resume: membership-bridge resume "${name}"`, INDENT);
  }
}
