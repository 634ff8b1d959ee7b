// How to restore what is lost: a replay of the event archive to the rules of the audit copy, or older object versions.
import { EVENTS_PREFIX, MANIFESTS_PREFIX, OVERSIZE_PREFIX } from '../../../audit/bucket-layout.ts';
import { type Finding, type FindingKind, REPLAYED } from '../findings.ts';
import { command, quoted, wrapped } from '../../terminal/text-layout.ts';
import type { Verification } from '../verification.ts';

/** Paragraphs of the report, each with its heading; none if nothing is lost. */
export function remediesOf(result: Verification): string[][] {
  const replayed = result.findings.filter(({ kind }) => REPLAYED.has(kind));
  const prefixes = Object.entries(VERSIONED).filter(([, kinds]) =>
    [...result.findings, ...result.unproven].some(({ kind }) => kinds.includes(kind)),
  );
  return [
    ...(replayed.length === 0 ? [] : [replay(result, replayed)]),
    ...(prefixes.length === 0 ? [] : [versions(prefixes.map(([prefix]) => prefix))]),
  ];
}

/** One replay for everything, because an account may run only a few at a time. */
function replay(result: Verification, lost: readonly Finding[]): string[] {
  const { from, to } = replayWindow(result, lost);
  const isWhole = lost.some(({ kind }) => kind.startsWith('whole-entry'));
  const text = `The archive of the event bus sends it again, only to ${isWhole ? 'the two rules' : 'the rule'} of the audit copy. Lines that exist are then duplicates, which are no finding. The stacks' outputs have the values of the variables:`;
  return [
    'To restore what is missing or altered',
    ...wrapped(text, '  '),
    ...replayCommand(result, { from, to, isWhole }),
  ];
}

/** The command that replays a span of time to the rules of the audit copy only. */
export function replayCommand(
  { sourceId, checkedAt }: Pick<Verification, 'sourceId' | 'checkedAt'>,
  { from, to, isWhole }: { from: string; to: string; isWhole: boolean },
): string[] {
  return command([
    'aws events start-replay',
    `--replay-name ${quoted(`audit-${sourceId.slice(0, 40)}-${checkedAt}`)}`,
    '--event-source-arn "$ARCHIVE_ARN"',
    `--event-start-time ${quoted(from)}`,
    `--event-end-time ${quoted(to)}`,
    `--destination "Arn=$EVENT_BUS_ARN,FilterArns=$AUDIT_RULE_ARN${isWhole ? ',$KEEPER_RULE_ARN' : ''}"`,
  ]);
}

/** From the first affected day to the last seal of an affected day; all that was checked if a finding has no day. */
function replayWindow(
  { days, chain, checkedAt }: Verification,
  lost: readonly Finding[],
): { from: string; to: string } {
  const links = chain.links.map(({ checkpoint }) => checkpoint);
  const affected = lost.map(({ day }) => day ?? '').sort();
  const [first, last] = [affected.at(0), affected.at(-1)];
  const from = first === '' ? (days.firstDay ?? links[0]?.firstDay) : first;
  const seals = links.filter(({ day }) => day === last).map(({ sealedAt }) => sealedAt);
  const end = (first === '' ? undefined : seals.sort().at(-1)) ?? new Date(checkedAt).toISOString();
  return { from: `${from ?? end.slice(0, 10)}T00:00:00Z`, to: `${end.slice(0, 19)}Z` };
}

/** The findings for which the bucket may have an older version, by prefix. */
const VERSIONED: Readonly<Record<string, readonly FindingKind[]>> = {
  [EVENTS_PREFIX]: ['checkpoint-missing', 'checkpoint-altered', 'line-missing', 'line-altered', 'object-unreadable'],
  [MANIFESTS_PREFIX]: ['manifest-missing', 'manifest-altered', 'settings-altered', 'settings-missing'],
  [OVERSIZE_PREFIX]: ['whole-entry-missing', 'whole-entry-altered'],
};

function versions(prefixes: readonly string[]): string[] {
  const text =
    'Under its lock the bucket keeps every version. This lists deleted and overwritten ones, with their times:';
  return [
    'If an object was deleted or replaced',
    ...wrapped(text, '  '),
    ...prefixes.flatMap((prefix) =>
      command(['aws s3api list-object-versions', '--bucket "$AUDIT_BUCKET"', `--prefix ${quoted(prefix)}`]),
    ),
  ];
}
