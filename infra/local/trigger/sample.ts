// The sample of an event, as docs/events has it, with ids of its own: an idempotent consumer processes each one.
import { randomUUID } from 'node:crypto';
import { CATALOGUE, ENTRIES } from '../../../functions/events/catalogue/catalogue.ts';
import { sampleEvent } from '../../../functions/events/sample-event.ts';
import type { TypedEvent } from '../../../functions/events/typed-event.ts';
import { canonicalJson, sha256Hex } from '../../../functions/shared/json.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { didYouMean } from './near-names.ts';

/** By name a detail type, a type of notices, or an action key of the catalogue. Throws a Problem for any other. */
export function sampleOf(name: string): TypedEvent {
  const listed = CATALOGUE.find(({ type }) => type === name);
  if (listed !== undefined) return sampleEvent(listed.type, ownIds());
  const entry = ENTRIES.find(({ actionKeys }) => actionKeys.includes(name));
  if (entry === undefined) throw noSample(name);
  const data = { ...entry.example.detail.data, actionKey: name };
  const { id, detail } = ownIds();
  const metadata = { ...detail.metadata, actionKey: name, entrySha256: sha256Hex(canonicalJson(data)) };
  return sampleEvent(entry.type, { id, detail: { metadata, data } });
}

/** The samples of all types, and then those of all action keys. */
export function samples(): TypedEvent[] {
  return [...CATALOGUE.map(({ type }) => type), ...ENTRIES.flatMap(({ actionKeys }) => actionKeys)].map(sampleOf);
}

function ownIds(): { id: string; detail: { metadata: { id: string } } } {
  return { id: randomUUID(), detail: { metadata: { id: randomUUID() } } };
}

function noSample(name: string): Problem {
  const names = [...CATALOGUE.map(({ type }) => type), ...ENTRIES.flatMap(({ actionKeys }) => actionKeys)];
  return new Problem(`${name} has no sample.${didYouMean(name, names)} docs/events.md has all of them.`);
}
