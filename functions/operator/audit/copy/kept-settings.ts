// The settings that the sealer keeps beside the manifests. What no hash of an entry covers follows from it and them.
import { settingsOfSource, settingsShaOf } from '../../../audit/bucket-layout.ts';
import { parseStrictJson } from '../../../audit/strict-json.ts';
import { BridgeError } from '../../../shared/errors.ts';
import { canonicalJson, type JsonValue, sha256Hex } from '../../../shared/json.ts';
import { type FieldPointers, readSourceSettings, type SourceSettings } from '../../../source/settings.ts';
import type { AuditCopy } from '../../bridge/audit-copy.ts';
import { nullIfDamaged, TooLarge, unzippedBytes } from './object-lines.ts';

/** What an event's references, detail type and time follow from besides its entry. */
export type Rule = Pick<SourceSettings, 'organisationId' | 'detailTypes'> & {
  /** Of the settings that say so. */
  hashes: ReadonlySet<string>;
  /** Null if it is not known. */
  timeZone: string | null;
  fields: FieldPointers;
};

/** A source changes these few times. More are forged, and would make the check of each line long. */
const MAX_RULES = 100;
const MAX_BYTES = 1_000_000;

const NO_FIELDS: FieldPointers = {
  id: null,
  occurredAt: null,
  actionKey: null,
  organisationMembershipId: null,
  organisationId: null,
  continuation: null,
};

/** The rule of a source whose settings are not in the copy: the defaults. */
export const DEFAULT_RULE: Rule = {
  hashes: new Set(),
  organisationId: null,
  timeZone: null,
  fields: NO_FIELDS,
  detailTypes: {},
};

type KeptSettings = {
  /** Each once; those of settings that this version of the bridge cannot read are left out. */
  rules: Rule[];
  /** The hashes in the keys of objects that have other content. */
  altered: Set<string>;
};

/** Reads the settings in the copy. */
export async function readKeptSettings(copy: AuditCopy, sourceId: string, now: number): Promise<KeptSettings> {
  const rules = new Map<string, Rule & { hashes: Set<string> }>();
  const altered = new Set<string>();
  for await (const { key } of copy.list(settingsOfSource(sourceId))) {
    const sha256 = settingsShaOf(key);
    if (sha256 === null) continue;
    const input = await readInput(copy, key);
    if (input === null || sha256Hex(canonicalJson(input)) !== sha256) altered.add(sha256);
    const rule = input === null || altered.has(sha256) ? null : toRule(input, now);
    if (rule === null) continue;
    const same = JSON.stringify(rule);
    const known = rules.get(same);
    if (known !== undefined) known.hashes.add(sha256);
    else if (rules.size < MAX_RULES) rules.set(same, { ...rule, hashes: new Set([sha256]) });
  }
  return { rules: [...rules.values()], altered };
}

async function readInput(copy: AuditCopy, key: string): Promise<JsonValue | null> {
  try {
    const stored = await copy.read(key);
    const bytes = stored === null ? null : await unzippedBytes(stored, MAX_BYTES).catch(nullIfDamaged);
    return bytes === null ? null : parseStrictJson(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TooLarge) return null;
    throw error;
  }
}

function toRule(input: JsonValue, now: number): Omit<Rule, 'hashes'> | null {
  try {
    const { organisationId, timeZone, fields, detailTypes } = readSourceSettings(input, now);
    return { organisationId, timeZone, fields, detailTypes };
  } catch (error) {
    if (error instanceof BridgeError) return null;
    throw error;
  }
}
