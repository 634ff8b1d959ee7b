// What the answers show, assumption by assumption. Pure. A finding without evidence is unknown.
import type { Facts } from '../facts/facts.ts';
import { counted } from '../../terminal/text-layout.ts';
import { life, noContinuation, place, walkEnd } from './continuation.ts';
import { actionKeys, identity, immutability, names, organisations, sameKeys } from './fields.ts';
import { lengths, order, rates, retention, sizes, statuses } from './pages.ts';
import { differs, holds, type Said, unknown, type Verdict } from './said.ts';
import { bounds, clocks, stamps } from './times.ts';

export type Finding = { assumption: string; about: string; verdict: Verdict; sentences: string[] };

/** One row for each assumption about the action log. */
const ROWS: readonly [assumption: string, about: string, say: (facts: Facts) => Said][] = [
  ['A1', 'place of the continuation', place],
  ['A2', 'end of a walk', walkEnd],
  ['A3', 'names of fields', names],
  ['A4', 'order', order],
  ['A5', 'life of a continuation', life],
  ['A6', 'bounds of a filter', bounds],
  ['A7', 'action keys', actionKeys],
  ['A8', 'stamps and time zones', stamps],
  ['A9', 'immutability', immutability],
  ['A10', 'lateness', () => unknown('Only days of polling show how late entries come: watch LateEntriesFound.')],
  ['A11', 'identity', identity],
  ['A12', 'no continuation at all', noContinuation],
  ['A13', 'page sizes', sizes],
  ['A14', 'rate limits', rates],
  ['A15', 'retention', retention],
  ['A16', 'scope by organisation', organisations],
  ['A17', 'scope by role', () => unknown('The user may read the log. What its role hides cannot be seen from here.')],
  ['A18', 'form of actionKeys', () => unknown('Not asked. Without the setting all entries are read.')],
  ['A19', 'statuses, error codes', statuses],
  ['A20', 'logins', logins],
  ['A21', 'lengths and sizes', lengths],
  ['A22', 'clocks', clocks],
  ['A31', 'one id, time and action', sameKeys],
];

export function findingsOf(facts: Facts): Finding[] {
  return ROWS.map(([assumption, about, say]) => {
    const { verdict, sentences } = say(facts);
    return { assumption, about, verdict, sentences: sentences.length === 0 ? ['Nothing showed it.'] : sentences };
  });
}

function logins({ login: { lifeMs, deviations } }: Facts): Said {
  const text = `A token came, for ${counted(Math.round(lifeMs / 1_000), 'second')}.`;
  return deviations.length === 0 ? holds(text) : differs(text, `Not as documented: ${deviations.join('; ')}.`);
}
