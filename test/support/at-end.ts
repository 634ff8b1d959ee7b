// When tests clean up: after each test, or after the last of several that share something.
import { afterAll, onTestFinished } from 'vitest';

export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

export const afterTest: AtEnd = (cleanUp) => onTestFinished(cleanUp);

/** For what the tests of a file or a describe block share; called there. Cleans up in reverse order. */
export function afterAllTests(): AtEnd {
  const cleanUps: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  return (cleanUp) => void cleanUps.push(cleanUp);
}
