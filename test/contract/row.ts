import type { World } from './world.ts';

/** One promise of an operation. */
export type Row = {
  /** A sentence whose subject is the operation. */
  title: string;
  /** Number of the assumption that it is about: against a real organisation it is reported and does not fail. */
  assumption?: string;
  /** Why it is tried in the local service only. */
  localOnly?: string;
  /** Throws where it does not hold; NothingToTry where it cannot be tried. */
  run: (world: World) => Promise<void>;
};
