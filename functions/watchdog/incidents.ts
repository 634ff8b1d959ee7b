// Which silences are said on the bus, and which ends of them: each once, and one for all where a service is down.
import type { Condition } from './condition.ts';
import type { Incident } from './ports.ts';
import { recovered, silent, type Saying } from './sayings.ts';

/** So many sources, and more than half of those of a service, fail alike: it is the service. */
const MIN_ALIKE = 5;

type After = { says: Saying[]; open: Incident[] };

/** What is to be said after a look, and the incidents that are open then. */
export function afterLook(incidents: readonly Incident[], conditions: readonly Condition[]): After {
  const before = merged(incidents.map((incident) => goOn(incident, conditions)));
  const known = new Set(before.open.flatMap(({ sources }) => sources));
  const fresh = conditions.filter(({ isSilent, sourceId }) => isSilent && !known.has(sourceId));
  const joined = before.open.map((incident) => join(incident, fresh));
  const taken = new Set(joined.flatMap(({ sources }) => sources));
  const groups = Map.groupBy(
    fresh.filter(({ sourceId }) => !taken.has(sourceId)),
    ({ host, reason }) => `${host}\0${reason}`,
  );
  return [...groups.values()].reduce((after, group) => begin(after, group, conditions), {
    says: before.says,
    open: joined,
  });
}

/** An incident that was said, after another look. One of several ends where most were read again twice in a row. */
function goOn(incident: Incident, conditions: readonly Condition[]): After {
  const { isAlike, isEnding: wasEnding, ...rest } = incident;
  const watched = conditions.filter(({ sourceId }) => incident.sources.includes(sourceId));
  if (watched.length === 0) return { says: [], open: [] };
  const left = watched.filter(({ isSilent }) => isSilent);
  if (left.length === 0) return { says: [recovered(incident, watched)], open: [] };
  if (isAlike === undefined) return { says: [], open: [incident] };
  const isEnding = left.length * 2 <= watched.length;
  const sources = watched.map(({ sourceId }) => sourceId);
  if (!isEnding || wasEnding === undefined)
    return { says: [], open: [{ ...rest, sources, isAlike, ...(isEnding && { isEnding }) }] };
  const ended = recovered(
    incident,
    watched.filter((one) => !left.includes(one)),
  );
  return merged([{ says: [ended], open: [] }, ...left.map(alone)]);
}

/** Sources that fall silent alike while the service is down need no notice of their own. */
function join(incident: Incident, fresh: readonly Condition[]): Incident {
  if (incident.isAlike === undefined) return incident;
  const more = fresh.filter(({ host, reason }) => host === incident.host && reason === incident.reason);
  return { ...incident, sources: [...incident.sources, ...more.map(({ sourceId }) => sourceId)] };
}

/** The first look at sources that fell silent alike. Those that were said one by one before belong to them. */
function begin({ says, open }: After, group: readonly Condition[], conditions: readonly Condition[]): After {
  const isLike = ({ host, reason }: Condition): boolean => host === group[0]?.host && reason === group[0].reason;
  const ofHost = conditions.filter(({ host }) => host === group[0]?.host).length;
  const alike = conditions.filter(isLike);
  if (alike.length < MIN_ALIKE || alike.length * 2 <= ofHost) return merged([{ says, open }, ...group.map(alone)]);
  const members = alike.filter(({ isSilent }) => isSilent);
  const ids = members.map(({ sourceId }) => sourceId);
  const others = open.filter(({ isAlike, sourceId }) => isAlike !== undefined || !ids.includes(sourceId));
  const begun = silent(members, { failing: alike.length, ofHost });
  return { says: [...says, begun.saying], open: [...others, begun.incident] };
}

function alone(condition: Condition): After {
  const { saying, incident } = silent([condition]);
  return { says: [saying], open: [incident] };
}

function merged(parts: readonly After[]): After {
  return { says: parts.flatMap(({ says }) => says), open: parts.flatMap(({ open }) => open) };
}
