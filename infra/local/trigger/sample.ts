// The sample of an event, as docs/events has it, with ids of its own: an idempotent consumer processes each one.
import { randomUUID } from 'node:crypto';
import { namedSample, SAMPLE_NAMES } from '../../../functions/events/named-sample.ts';
import type { TypedEvent } from '../../../functions/events/typed-event.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { didYouMean } from '../../shared/near-names.ts';

/** By name a detail type, a type of notices, or an action key of the catalogue. Throws a Problem for any other. */
export function sampleOf(name: string): TypedEvent {
  const sample = namedSample(name, { id: randomUUID(), metadataId: randomUUID() });
  if (sample !== null) return sample;
  throw new Problem(`${name} has no sample.${didYouMean(name, SAMPLE_NAMES)} docs/events.md has all of them.`);
}

/** The samples of all types, and then those of all action keys. */
export function samples(): TypedEvent[] {
  return SAMPLE_NAMES.map(sampleOf);
}
