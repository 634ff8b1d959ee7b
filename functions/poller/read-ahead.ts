// The page after the one at hand, asked for while that one is published: at most one, and no other request beside it.
import type { Window } from '../source/state.ts';

/** A page of a walk: `asked` is the walk's own object, so that a walk begun again is another one. */
export type Place = Pick<Window, 'asked' | 'continuation'>;

export type ReadAhead<Answer> = {
  /** Keeps the answer, or the failure, until it is asked for. */
  begin(place: Place, answer: Promise<Answer>): void;
  /** The answer that was begun for this very place, once; null where there is none, and what was begun for another is given up. */
  take(place: Place): Promise<Answer> | null;
  /** Resolves when nothing is under way, to the failure of what was begun last, null without one. */
  settled(): Promise<unknown>;
};

export function createReadAhead<Answer>(): ReadAhead<Answer> {
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
    take({ asked, continuation }) {
      const taken = begun;
      begun = null;
      return taken?.place.asked === asked && taken.place.continuation === continuation ? taken.answer : null;
    },
    settled: async () => await failure,
  };
}
