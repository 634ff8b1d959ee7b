// What brings back what is lost: the archive of the event bus, sent again to the rule of the audit copy alone.
import { type Finding, REPLAYED } from './findings.ts';
import { shiftDay } from './period.ts';
import { wrapped } from './text-layout.ts';
import type { Verification } from './verify.ts';

/** One replay for so many days that follow each other, because an account has few replays at once. */
export function remediesOf(result: Verification): string[][] {
  const lost = result.findings.filter(({ kind }) => REPLAYED.has(kind));
  return [...replayPart(result, lost), ...stillThere(lost)];
}

function replayPart(result: Verification, lost: readonly Finding[]): string[][] {
  if (lost.length === 0) return [];
  const { from, to } = replayWindow(result, lost);
  const text =
    'The archive of the event bus sends them again, to the rule of the audit copy alone. Lines that are there already come twice, which is no finding. Set the three variables from the outputs of the stacks:';
  const command = [
    'aws events start-replay \\',
    `  --replay-name audit-${result.sourceId.slice(0, 40)}-${result.checkedAt} \\`,
    '  --event-source-arn "$ARCHIVE_ARN" \\',
    `  --event-start-time ${from} \\`,
    `  --event-end-time ${to} \\`,
    `  --destination "{\\"Arn\\":\\"$EVENT_BUS_ARN\\",\\"FilterArns\\":[\\"$AUDIT_RULE_ARN\\"]}"`,
  ];
  return [
    ['To bring back what is missing or altered', ...wrapped(text, '  '), ...command.map((line) => `    ${line}`)],
  ];
}

/** From the first day concerned to the last seal that may hold one of them; without a day, all that was checked. */
function replayWindow(
  { days, chain, checkedAt }: Verification,
  lost: readonly Finding[],
): { from: string; to: string } {
  const concerned = lost.flatMap(({ day }) => (day === null ? [] : [day])).sort();
  const isWithoutDay = lost.some(({ day }) => day === null);
  const first = isWithoutDay ? days.firstDay : concerned.at(0);
  const last = isWithoutDay ? null : concerned.at(-1);
  const seals = chain.links
    .filter(({ checkpoint }) => checkpoint.day === last)
    .map(({ checkpoint }) => checkpoint.sealedAt);
  const end = seals.sort().at(-1) ?? new Date(checkedAt).toISOString();
  const from = first ?? shiftDay(new Date(checkedAt).toISOString().slice(0, 10), -1);
  return { from: `${from}T00:00:00Z`, to: `${end.slice(0, 19)}Z` };
}

function stillThere(lost: readonly Finding[]): string[][] {
  if (lost.length === 0) return [];
  const text =
    'The bucket keeps every version under its lock. What was deleted or written over is still there, and tells when and by whom: aws s3api list-object-versions --bucket <bucket> --prefix events/';
  return [['Where the object itself was deleted or replaced', ...wrapped(text, '  ')]];
}
