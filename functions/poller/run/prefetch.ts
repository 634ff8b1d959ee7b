// The page after the one at hand, requested while that one is published: one at most, and no other request at the same
// time.
import type { Window } from '../../source/state.ts';

/** A page of a walk. `params` is the walk's own object, so that a walk begun again is another one. */
type Place = Pick<Window, 'params' | 'continuation'>;

export type Prefetch<Answer> = {
  /** Keeps the answer, or the failure, until it is asked for. */
  begin(place: Place, answer: Promise<Answer>): void;
  /** The answer for this very place, once; null where there is none. An answer for another place is dropped. */
  take(place: Place): Promise<Answer> | null;
  /** Resolves when nothing is under way, to the failure of what was begun last; null without one. */
  settled(): Promise<unknown>;
  /** As `settled`, and forgets the answer and its failure. */
  drop(): Promise<unknown>;
};

export function createPrefetch<Answer>(): Prefetch<Answer> {
  let begun: { place: Place; answer: Promise<Answer> } | null = null;
  let failure: Promise<unknown> = Promise.resolve(null);
  return {
    begin(place, answer) {
      begun = { place, answer };
      failure = answer.then(
        () => null,
        (error: unknown) => error,
      );
    },
    take({ params, continuation }) {
      const taken = begun;
      begun = null;
      return taken?.place.params === params && taken.place.continuation === continuation ? taken.answer : null;
    },
    settled: async () => await failure,
    async drop() {
      const dropped = await failure;
      begun = null;
      failure = Promise.resolve(null);
      return dropped;
    },
  };
}
