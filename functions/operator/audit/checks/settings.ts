// Which settings prove the lines: those whose hash the chain has. Without them, what follows from them is not proven.
import { settingsKey } from '../../../audit/bucket-layout.ts';
import type { Scan, UncertainLine } from '../copy/scan.ts';
import { finding, type Finding } from '../findings.ts';
import { isInPeriod, type Period } from '../period.ts';
import type { Rule } from '../copy/kept-settings.ts';
import type { Chain } from './chain.ts';

type SettingsCheck = {
  findings: Finding[];
  unproven: Finding[];
  /** The rules that the chain names; null if it also names settings that cannot be read. */
  rules: readonly Rule[] | null;
};

/** A line that contradicts all settings is altered, unless settings that the chain names cannot be read. */
export function checkSettings(
  scan: Scan,
  chain: Chain,
  { sourceId, period, contradicted }: { sourceId: string; period: Period; contradicted: readonly Finding[] },
): SettingsCheck {
  const unread = unreadSettings(scan, chain, period).map(([sha256, number]) =>
    finding(scan.alteredSettings.has(sha256) ? 'settings-altered' : 'settings-missing', settingsKey(sourceId, sha256), {
      how: `checkpoint ${number} names them`,
    }),
  );
  const isAltered = ({ kind }: Finding): boolean => kind === 'settings-altered';
  const perhaps = contradicted.map((found) => ({
    ...found,
    kind: 'line-unproven' as const,
    how: `${found.how}, unless the missing settings say so`,
  }));
  return {
    rules: unread.length === 0 ? scan.rules.filter(namedBy(chain)) : null,
    findings: [...unread.filter(isAltered), ...(unread.length === 0 ? contradicted : [])],
    unproven: [
      ...unread.filter((found) => !isAltered(found)),
      ...(unread.length === 0 ? [] : perhaps),
      ...notChained(scan, chain),
      ...withoutTime(scan),
    ],
  };
}

/** Hashes of settings that no rule has, each with the number of the first checkpoint that names it. */
function unreadSettings({ rules }: Scan, { links }: Chain, period: Period): [sha256: string, number: number][] {
  const known = new Set(rules.flatMap(({ hashes }) => [...hashes]));
  const unread = new Map<string, number>();
  for (const { checkpoint } of links) {
    const { number, day, settingsSha256 } = checkpoint;
    if (known.has(settingsSha256) || (day !== null && !isInPeriod(day, period))) continue;
    unread.set(settingsSha256, unread.get(settingsSha256) ?? number);
  }
  return [...unread];
}

/** Lines with which only settings agree that no checkpoint names. */
function notChained({ rules, agreeing }: Scan, chain: Chain): Finding[] {
  const isNamed = rules.map(namedBy(chain));
  return [...agreeing]
    .filter(([indices]) => !indices.split(',').some((index) => isNamed[Number(index)]))
    .flatMap(([, lines]) => lines.map((line) => unproven(line, 'it is as settings say that no checkpoint names')));
}

function namedBy({ links }: Chain): (rule: Rule) => boolean {
  const named = new Set(links.map(({ checkpoint }) => checkpoint.settingsSha256));
  return ({ hashes }) => [...hashes].some((sha256) => named.has(sha256));
}

/** Lines without a time although they have a field from which other lines have theirs. */
function withoutTime({ timeless, timeFields }: Scan): Finding[] {
  return [...timeless].flatMap(([fields, lines]) => {
    const field = fields.split('\0').find((field) => timeFields.has(field));
    const how = `its metadata has no time, but its entry has one in ${field}, where other entries have theirs`;
    return field === undefined ? [] : lines.map((line) => unproven(line, how));
  });
}

function unproven({ id, day, place }: UncertainLine, how: string): Finding {
  return finding('line-unproven', id, { day, how, place });
}
