// What is known of a copy and is no finding: doubles, what is on its way, quarantined, gaps, dead letters, and what the service still has.
import { replayCommand } from './remedies.ts';
import { command, count, counted, minuteOf, wrapped } from './text-layout.ts';
import type { Verification } from '../verification.ts';

/** Paragraphs of the report, each with its heading; only those that have something to say. */
export function remarksOf(result: Verification): string[][] {
  return [
    paragraph('Not sealed yet', openOf(result)),
    paragraph('In quarantine', quarantineOf(result)),
    paragraph('Gaps', gapsOf(result)),
    paragraph('Not delivered', undeliveredOf(result)),
    paragraph('Against the service', sourceOf(result)),
    paragraph('Also', alsoOf(result)),
  ].flat();
}

/** An item that is laid out already begins with a space. */
function paragraph(heading: string, items: readonly string[]): string[][] {
  const lines = items.flatMap((item) => (item.startsWith(' ') ? [item] : wrapped(item, '  ')));
  return items.length === 0 ? [] : [[heading, ...lines]];
}

function openOf({ days, open, pending }: Verification): string[] {
  const lines = [...days.open.keys()].sort().map((day) => `${day}: ${counted(days.open.get(day) ?? 0, 'line')}`);
  return [
    ...lines,
    ...(days.late.length === 0
      ? []
      : [
          `${counted(days.late.length, 'line')} of sealed days came after the seal: the next amendment names them${open === null ? '; until then --table proves them' : ''}.`,
        ]),
    ...(open === null ? [] : [openByTable(open)]),
    ...(pending === null ? [] : [`Checkpoint ${pending} is made and not published yet.`]),
    ...(lines.length > 0 && open === null ? ['Without --table nothing proves these days.'] : []),
  ];
}

function openByTable({ onTheWay, findings, quarantined }: NonNullable<Verification['open']>): string {
  const state = findings.length === 0 ? 'they agree with the audit trail in the state table' : 'see the findings above';
  const parts = [
    ...(onTheWay === 0 ? [] : [`${counted(onTheWay, 'event')} still on the way`]),
    ...(quarantined === 0 ? [] : [`${count(quarantined)} in quarantine`]),
  ];
  return `By day as they stand: ${state}${parts.length === 0 ? '' : `; ${parts.join(', ')}`}.`;
}

function quarantineOf({ days, sourceId }: Verification): string[] {
  if (days.quarantined === 0) return [];
  return [
    `The event bus has refused ${counted(days.quarantined, 'entry', 'entries')} for good, sealed as such and not in the copy. The state table has them whole:`,
    ...command([
      'aws dynamodb query --table-name "$STATE_TABLE"',
      '--key-condition-expression "pk = :pk and begins_with(sk, :sk)"',
      '--expression-attribute-values',
      `'{":pk":{"S":"source#${sourceId}"},":sk":{"S":"quarantine#"}}'`,
    ]),
  ];
}

function gapsOf({ gaps }: Verification): string[] {
  if (gaps.length === 0) return [];
  const spans = gaps.map(({ from, to, reason }) => `${from ?? 'the beginning'} to ${to} (${reason})`);
  return [
    ...spans,
    'There the bridge may not have been given everything. Compare these spans with the service: --against-source --from <day> --to <day>',
  ];
}

function undeliveredOf(result: Verification): string[] {
  const { deliveryErrors, deadLetters } = result;
  const filled = deadLetters.filter(({ messages }) => messages > 0);
  return [
    ...(deliveryErrors === 0
      ? []
      : [`${counted(deliveryErrors, 'object')} under errors/: what Firehose could not write.`]),
    ...filled.map(({ url, messages }) => `${counted(messages, 'message')} in ${url}`),
    ...(deliveryErrors > 0 || filled.length > 0 ? cure(result) : []),
    ...(deadLetters.length > 0 && filled.length === 0
      ? [`${counted(deadLetters.length, 'dead-letter queue')}: empty.`]
      : []),
  ];
}

/** A queue of a rule cannot be sent on by itself. */
function cure(result: Verification): string[] {
  return [
    'The archive has these events too. Send the time in question again, and then empty the queue:',
    ...replayCommand(result, { from: '<from>', to: '<to>', isWhole: true }),
    ...command(['aws sqs purge-queue --queue-url <url>']),
  ];
}

function sourceOf({ source }: Verification): string[] {
  if (source === null) return [];
  const { read, inCopy, onTheWay, beyondRetention, notGiven, gaps, oldest, isSameUser, requests } = source;
  const user = { true: 'as the user of the bridge', false: 'as another user than the bridge', null: '' }[
    String(isSameUser)
  ];
  const retention =
    oldest === null
      ? 'The service has no entry of this time any more.'
      : `The oldest entry that the service gave is of ${minuteOf(Date.parse(oldest))}.`;
  return [
    `Read again ${user} with ${counted(requests, 'request')}: ${counted(read, 'entry', 'entries')}, ${count(inCopy)} of them in the copy${onTheWay === 0 ? '' : `, ${count(onTheWay)} so recent that they may be on the way`}.`,
    retention,
    ...(beyondRetention === 0
      ? []
      : [
          `${counted(beyondRetention, 'entry', 'entries')} of the copy are as old or older: the service no longer keeps them, or only in part, and they cannot be compared with it.`,
        ]),
    ...gaps.map(({ from, to }) => `It did not give everything from ${from ?? 'the beginning'} to ${to}.`),
    ...(notGiven === 0 ? [] : [`${counted(notGiven, 'entry', 'entries')} of the copy on these days came not again.`]),
  ];
}

function alsoOf({ counts, days }: Verification): string[] {
  const doubles = counts.duplicates + counts.checkpointDuplicates;
  return [
    ...(doubles === 0
      ? []
      : [`${counted(doubles, 'line')} twice: the bridge delivers at least once, and a replay sends again.`]),
    ...(days.uncovered === 0
      ? []
      : [
          `${counted(days.uncovered, 'line')} observed while the copy did not claim to be complete: before its first checkpoint, or while it was switched off.`,
        ]),
    ...(days.unknown === 0
      ? []
      : [
          `${counted(days.unknown, 'line')} of days whose checkpoint is missing and whose manifest is too: nothing can be said of them.`,
        ]),
  ];
}
