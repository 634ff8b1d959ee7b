// What the fields of entries are, and what they tell apart. Pure.
import type { Facts } from '../facts/facts.ts';
import type { Place } from '../facts/fields.ts';
import { counted } from '../../terminal/text-layout.ts';
import { differs, holds, type Said, unknown } from './said.ts';

export function names({ fields: { entries, time, actionKey, membership, organisation } }: Facts): Said {
  const found = [
    time === null
      ? 'No field was recognised as the time.'
      : `time at ${time.pointer}: a stamp in ${percent(time.share)} of the entries${FOUND_BY[time.by]}.`,
    actionKey === null ? 'No field was recognised as the action key.' : placeText('action key', actionKey, entries),
    membership === null ? '' : placeText('membership', membership, entries),
    organisation === null ? '' : placeText('organisation', organisation, entries),
  ];
  if (entries === 0) return unknown('No entry came.');
  return time === null || actionKey === null || time.by === 'value' ? differs(...found) : holds(...found);
}

const FOUND_BY = {
  setting: ', as the settings say',
  name: '',
  value: ', and pages are sorted by it; its name does not say so',
};

function placeText(what: string, { pointer, entries, different }: Place, of: number): string {
  return `${what} at ${pointer}: in ${entries} of ${of} entries, ${counted(different, 'value')}.`;
}

function percent(share: number): string {
  return share === 1 ? 'all' : `${Math.floor(share * 100)} %`;
}

export function actionKeys({ fields: { actionKey, otherKeys } }: Facts): Said {
  if (actionKey === null) return unknown('No action key was recognised.');
  return holds(`${counted(actionKey.different, 'key')} met, of these ${otherKeys} OtherActionLogged.`);
}

export function immutability({
  fields: {
    readAgain: { entries, changed },
  },
}: Facts): Said {
  if (entries === 0) return unknown();
  if (changed > 0)
    return differs(`${changed} of ${counted(entries, 'entry', 'entries')} read twice came with other content.`);
  return holds(
    `${counted(entries, 'entry', 'entries')} read twice came the same. Later changes cannot be seen from here.`,
  );
}

export function identity({ fields: { id, idCandidates, entries, onPage } }: Facts): Said {
  if (entries === 0) return unknown();
  if (id === null) {
    const others =
      idCandidates.length === 0 ? '' : `Different in each of ${onPage} entries: ${idCandidates.join(', ')}.`;
    return differs('No field says that it is the id of the entry: its content identifies it.', others);
  }
  const evidence = `id at ${id.pointer}: in ${id.entries} of ${onPage} entries of a page, ${counted(id.different, 'value')}.`;
  return id.different === id.entries && id.entries === onPage ? holds(evidence) : differs(evidence);
}

export function organisations({
  fields: { organisation, elsewhere, entries },
  settings: { organisationId },
}: Facts): Said {
  if (organisation === null) return unknown('No entry names its organisation.');
  const texts = [
    `${counted(organisation.different, 'organisation')} in ${organisation.entries} of ${counted(entries, 'entry', 'entries')}.`,
    elsewhere === null ? '' : `${elsewhere} of them name another one than organisationId.`,
  ];
  if (organisation.different > 1 || (elsewhere ?? 0) > 0) return differs(...texts);
  return organisationId === null ? unknown(...texts) : holds(...texts);
}

export function sameKeys({ fields: { id, sameKey, onPage } }: Facts): Said {
  if (id === null || onPage === 0) return unknown();
  if (sameKey > 0)
    return differs(`${sameKey} of ${onPage} entries of a page share id, time and action with another one.`);
  return unknown(`None of ${onPage} entries of a page shares id, time and action with another one.`);
}
