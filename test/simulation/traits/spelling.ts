// Trait of a service that writes its entries otherwise from some day on (S74).
import type { FieldNames, Personality } from '../../../infra/membership-service/personality/personality.ts';
import type { Chance } from '../chance.ts';

export const SPELLINGS = ['capitals', 'zeros added', 'zeros removed', 'other ids'] as const;
/** `at`: when the upgrade is, ms since 1970. */
export type Upgrade = { spelling: (typeof SPELLINGS)[number]; at: number };

/** What is drawn of the world before. */
type Drawn = {
  personality: Pick<Personality, 'ids'>;
  oddShares: { idless: number };
  startAt: number;
  ticks: number;
};

/**
 * One in twelve of the services whose entries all have ids: without one, an entry that is written differently is
 * another one (Assumption A11). By a stream of its own.
 */
export function drawUpgrade(chance: Chance, { personality, oddShares, startAt, ticks }: Drawn): Upgrade | null {
  const upgrade = { spelling: chance.pick(SPELLINGS), at: startAt + chance.between(1, ticks) * 60_000 };
  return chance.happens(1 / 12) && personality.ids !== 'none' && oddShares.idless === 0 ? upgrade : null;
}

/** A page as it is written since the upgrade. */
export function respelled(text: string, { spelling }: Upgrade, names: FieldNames): string {
  if (spelling === 'capitals')
    return text.replaceAll(idIn(names), (_all, start, id: string) => start + id.toUpperCase());
  if (spelling === 'other ids') return text.replaceAll(idIn(names), `$1${OTHER}$2`);
  return text.replaceAll(fractionIn(names), (_all, start, digits: string) =>
    spelling === 'zeros added' ? `${start}.${digits.padEnd(MAX_DIGITS, '0')}` : start + withoutZeros(digits),
  );
}

/** One text for an entry in all of these spellings. */
export function inOneSpelling(text: string, names: FieldNames): string {
  return text
    .replace(idIn(names), (_all, start: string, id: string) => start + id.toLowerCase())
    .replace(`":"${OTHER}`, '":"')
    .replace(fractionIn(names), (_all, start, digits: string) => start + withoutZeros(digits));
}

const OTHER = 'log-';
const MAX_DIGITS = 7;

function withoutZeros(digits: string): string {
  const rest = digits.replace(/0+$/, '');
  return rest === '' ? '' : `.${rest}`;
}

function idIn({ id }: FieldNames): RegExp {
  return new RegExp(`("${id}":")([0-9A-Fa-f-]{36}(?="))`, 'g');
}

function fractionIn({ time }: FieldNames): RegExp {
  return new RegExp(`("${time}":"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)\\.?(\\d*)`, 'g');
}
