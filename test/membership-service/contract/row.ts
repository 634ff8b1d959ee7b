import type { World } from './world.ts';

/** One promise of an operation. */
export type Row = {
  /** A sentence whose subject is the operation. */
  title: string;
  /** The number of its assumption. In a real organisation a wrong assumption is reported and does not fail. */
  assumption?: string;
  /** Why it runs only in the local service. */
  localOnly?: string;
  /** Throws if it does not hold, and NothingToTry if it cannot run. */
  run: (world: World) => Promise<void>;
};
