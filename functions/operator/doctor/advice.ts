// What to do about the findings, and the settings that follow from them. Pure. Nothing is set that was not seen.
import type { Facts } from './facts/facts.ts';

/** The settings of a source as written. */
export type WrittenSettings = Readonly<Record<string, unknown>> & {
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly advanced?: Readonly<Record<string, unknown>>;
};

/** Where startDate leaves out the day it names, a reconcile sweep looks back a day further (Assumption A6). */
const LOOKBACK_WITHOUT_THE_DAY = 'PT54H';

/** The settings as written, with what the service needs beside. */
export function settingsFor(written: WrittenSettings, facts: Facts): WrittenSettings {
  const { pages, filters, settings } = facts;
  const fields = fieldsFor(written.fields ?? {}, facts);
  const { fields: _fields, advanced, ...rest } = written;
  const withoutDay = filters.start === 'day' && filters.startInclusive !== true;
  const lookback = {
    ...LOOKBACK,
    ...(advanced?.['lookback'] as object | undefined),
    reconcile: LOOKBACK_WITHOUT_THE_DAY,
  };
  const other = withoutDay ? { ...advanced, lookback } : advanced;
  return {
    ...rest,
    ...(pages.accepted === null || pages.accepted === settings.pageSize ? {} : { pageSize: pages.accepted }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(other === undefined ? {} : { advanced: other }),
  };
}

const LOOKBACK = { recent: 'PT3M', settle: 'PT2H30M' };

/** A field that the settings name wrongly is left out: a wrong id or continuation would lose entries. */
function fieldsFor(
  written: NonNullable<WrittenSettings['fields']>,
  { fields, continuation }: Facts,
): Record<string, string> {
  const wrong = [
    ...(isSharedId(fields) ? ['id'] : []),
    ...(isWrongTime(fields) ? ['occurredAt'] : []),
    ...(continuation.works?.from === 'bridge' ? [] : ['continuation']),
  ];
  const kept = Object.entries(written).filter(([name, place]) => place !== undefined && !wrong.includes(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    ...(fields.time?.by === 'value' ? { occurredAt: fields.time.pointer } : {}),
    ...(continuation.works?.from === 'member' ? { continuation: continuation.works.place } : {}),
  };
}

function isSharedId({ id }: Facts['fields']): boolean {
  return id !== null && id.different < id.entries;
}

function isWrongTime({ time }: Facts['fields']): boolean {
  return time?.by === 'setting' && time.share < 0.5;
}

/** What a person should do, the most urgent first. */
export function adviceOn(facts: Facts): string[] {
  return [
    ...idAdvice(facts),
    ...continuationAdvice(facts),
    ...fieldAdvice(facts),
    ...zoneAdvice(facts),
    ...scopeAdvice(facts),
    ...sizeAdvice(facts),
  ];
}

function idAdvice({ fields }: Facts): string[] {
  const { id, idCandidates, readAgain } = fields;
  const isUnstable = id === null && readAgain.changed > 0;
  const unstable = 'Entries without an id come with other content each time: every poll would publish them again.';
  if (isSharedId(fields))
    return id?.setting === true
      ? [`Remove fields.id: ${id.pointer} is the same in several entries, of which all but one would be lost.`]
      : [
          `Do not set fields.id to ${id?.pointer}: it is the same in several entries, so it is not the id of the entry.`,
        ];
  if (id?.setting === false)
    return [
      `Set fields.id to "${id.pointer}" if the service says that it is the id of the entry itself: then a corrected entry makes no second event. Without it nothing is lost. Decide before the first run.`,
    ];
  if (idCandidates.length > 0)
    return [
      `${isUnstable ? `${unstable} ` : ''}Ask the service whether ${idCandidates.join(' or ')} is the id of the entry itself. Only then set fields.id to it, before the first run.`,
    ];
  return isUnstable ? [`${unstable} Do not deploy before the service says what identifies an entry.`] : [];
}

function continuationAdvice({ continuation, settings }: Facts): string[] {
  const { works, taken } = continuation;
  if (works?.from === 'member') return [`Set fields.continuation to "${works.place}", as below.`];
  if (taken?.fails === true)
    return [
      `Do not deploy before the service says how pages go on: the bridge takes ${taken.place}, and longer windows would not be read completely.`,
    ];
  if (works?.from === 'link')
    return [
      'The continuation is inside of an address: the bridge reads without it, by smaller windows, with more requests.',
    ];
  return settings.fields.continuation !== null && works === null
    ? ['Remove fields.continuation: nothing was found there that leads to a next page.']
    : [];
}

function fieldAdvice({ fields }: Facts): string[] {
  if (fields.entries === 0) return ['The log shows no entry: do something in the organisation, and run this again.'];
  return [
    ...(fields.time === null
      ? ['Set fields.occurredAt to the time of an entry: without it windows cannot be split.']
      : []),
    ...(fields.time?.by === 'value' ? [`Set fields.occurredAt to "${fields.time.pointer}", as below.`] : []),
    ...(isWrongTime(fields) ? ['Correct fields.occurredAt: most entries have no stamp there.'] : []),
    ...(fields.actionKey === null
      ? ['Set fields.actionKey to the field with the action: without it every event is OtherActionLogged.']
      : []),
  ];
}

const NOT_AS_MEANT = 'Dates are not read as the stamps are: entries may come up to 6 hours late, by reconcile sweeps.';
const BEYOND_A_PAGE =
  'Without a continuation that the bridge can use, a burst longer than a page is then lost, and GapDetected reports it. Ask the service before you deploy.';

function zoneAdvice({ clock, filters, settings, continuation }: Facts): string[] {
  const isPaged = continuation.works !== null && continuation.works.from !== 'link';
  const { zone, offsets, form } = clock;
  if (zone?.fits === false) {
    const seen = offsets.length === 0 ? '' : ` They have the offset ${offsets.join(' or ')}.`;
    return [`Correct timeZone: the stamps are not of ${settings.timeZone}.${seen}`];
  }
  const wall = form === 'wall' && zone === null;
  return [
    ...(filters.asMeant === false ? [NOT_AS_MEANT, ...(isPaged ? [] : [BEYOND_A_PAGE])] : []),
    ...(wall
      ? [
          `Compare the newest stamp with a clock in the organisation. If it is off by hours, correct timeZone (${settings.timeZone}).`,
        ]
      : []),
    ...(filters.start === 'day' && filters.startInclusive !== true
      ? [
          `Look back ${LOOKBACK_WITHOUT_THE_DAY} in reconcile sweeps, as below: startDate seems to leave out the day it names.`,
        ]
      : []),
  ];
}

function scopeAdvice({ fields, settings }: Facts): string[] {
  const isMixed = (fields.organisation?.different ?? 0) > 1 || (fields.elsewhere ?? 0) > 0;
  if (isMixed) return ['The log has entries of other organisations: use a user who administers this one alone.'];
  const isUnnamed = fields.entries > 0 && fields.organisation === null && settings.organisationId === null;
  return isUnnamed
    ? ['Set organisationId: entries do not name their organisation, so their events would not either.']
    : [];
}

function sizeAdvice({ pages, settings }: Facts): string[] {
  const { accepted } = pages;
  if (pages.refused.every(({ pageSize }) => pageSize !== settings.pageSize)) return [];
  return [
    accepted === null
      ? 'Set pageSize to what the service accepts: it refuses this one.'
      : `Set pageSize to ${accepted}, as below: ${settings.pageSize} is refused.`,
  ];
}
