// What an observation changes in the service profile.
import type { ServiceProfile } from '../../source/service-profile.ts';

/** A contradiction of something learned before; SourceResponseChanged reports it. `kind` names the fact. */
export type FactChange = { kind: string; before: string | null; after: string | null };

/** The profile afterwards, and the contradictions to report before it is stored. */
export type ProfileUpdate = { profile: ServiceProfile; changes: readonly FactChange[] };

/** Applies the lessons in order, each to the profile that the one before left. */
export function inOrder(
  profile: ServiceProfile,
  lessons: readonly ((profile: ServiceProfile) => ProfileUpdate)[],
): ProfileUpdate {
  return lessons.reduce<ProfileUpdate>(
    (update, lesson) => {
      const next = lesson(update.profile);
      return { profile: next.profile, changes: [...update.changes, ...next.changes] };
    },
    { profile, changes: [] },
  );
}
