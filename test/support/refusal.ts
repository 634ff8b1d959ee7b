// Promises that are expected to be rejected, looked at as values.

/** The error that a promise is rejected with. Rejects where it is fulfilled. */
export async function refusalOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(outcome === null ? 'Was not refused.' : `Was rejected with ${JSON.stringify(outcome)}.`);
}
