// Errors of promises that must reject.

/** Resolves to the error of a promise that rejects. Rejects if it is fulfilled. */
export async function refusalOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(outcome === null ? 'Was not refused.' : `Was rejected with ${JSON.stringify(outcome)}.`);
}
