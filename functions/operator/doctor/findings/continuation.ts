// How pages lead to further ones. Pure.
import type { Facts } from '../facts/facts.ts';
import { counted } from '../../terminal/text-layout.ts';
import { differs, holds, type Said, unknown } from './said.ts';

export function place({ continuation: { works, none, taken } }: Facts): Said {
  if (works?.from === 'bridge') return holds(`A page names the next one at ${works.place}, and that page came.`);
  if (works?.from === 'member')
    return differs(`The next page comes for the value at ${works.place}, which the bridge does not find by its name.`);
  if (works?.from === 'link')
    return differs(
      `The next page comes for a value inside of the address at ${works.place}. The bridge takes whole values only.`,
    );
  if (taken !== null)
    return taken.fails
      ? differs(`The bridge takes ${taken.place} for the continuation, and no next page came for it.`)
      : unknown(`A page has a continuation at ${taken.place}. Whether it leads on did not show.`);
  return none ? unknown('No page names a next one: see A12.') : unknown('No page named a next one.');
}

export function walkEnd({ continuation: { end } }: Facts): Said {
  if (end === 'none') return holds('A page came that names no next one: the last of its walk.');
  if (end === 'empty') return holds('After the last entries comes an empty page that names no next one.');
  if (end === 'open')
    return unknown(
      'An empty page after the last entries still names a next one. Pages without anything new end a walk then.',
    );
  return unknown();
}

export function life({ continuation: { again, later } }: Facts): Said {
  if (again === null) return unknown();
  if (again === 'refused')
    return differs('The same continuation was refused the second time. The bridge then reads the window again.');
  if (again === 'further')
    return differs('The same continuation gave another page the second time: the service keeps the place itself.');
  if (later === null) return holds('The same continuation gave the same page twice. How long it lives is unknown.');
  const span = `${counted(later.seconds, 'second')} after its page`;
  return later.refused
    ? differs(`The same continuation gave the same page twice, and was refused ${span}.`)
    : holds(`The same continuation gave the same page twice, the last time ${span}. How long it lives is unknown.`);
}

export function noContinuation({ continuation: { works, none, taken } }: Facts): Said {
  if (works !== null && works.from !== 'link') return holds('Does not apply: a page names the next one.');
  if (none)
    return holds('A page that left out known entries names no next one. The bridge reads by ever smaller windows.');
  return works === null && taken?.fails !== true ? unknown() : differs('See A1.');
}
