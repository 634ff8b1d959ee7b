// What an observation changes in the service profile.
import type { ServiceProfile } from '../../source/service-profile.ts';

/** A contradiction of something learned before; SourceResponseChanged reports it. `kind` names the fact. */
export type FactChange = { kind: string; before: string | null; after: string | null };

/** The profile afterwards, and the contradictions to report before it is stored. */
export type ProfileUpdate = { profile: ServiceProfile; changes: readonly FactChange[] };
