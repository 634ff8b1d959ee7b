// What commands change in the secret of the destinations. Pure; sizeProblem says whether the result can be stored.
import { type DestinationEntry, type DestinationSecret, entryOf } from './secret.ts';

/**
 * The secret after a command has added or changed a destination: its definition gets the new `revision`. A first one
 * gets a signing key that no removed destination of this name ever had. `headers` replaces the static headers.
 */
export function defined(
  secret: DestinationSecret,
  name: string,
  { now, headers }: { now: number; headers?: Readonly<Record<string, string>> },
): { secret: DestinationSecret; revision: number } {
  const before = entryOf(secret, name);
  const revision = numberAfter(before?.revision, now);
  const key = before === null ? numberAfter(undefined, now) : before.key;
  const entry = { ...before, revision, ...(key !== undefined && { key }), ...(headers !== undefined && { headers }) };
  return { secret: withEntry(secret, name, entry), revision };
}

/** With other static headers; the signing key stays. */
export function withHeaders(
  secret: DestinationSecret,
  name: string,
  headers: Readonly<Record<string, string>>,
): DestinationSecret {
  return withEntry(secret, name, { ...entryOf(secret, name), headers });
}

/** With a new signing key; the present one signs too for `overlapMs`, 0 where it has leaked. */
export function rotated(
  secret: DestinationSecret,
  name: string,
  { now, overlapMs }: { now: number; overlapMs: number },
): DestinationSecret {
  const { previous: _over, ...before } = entryOf(secret, name) ?? {};
  const key = before.key ?? 1;
  const previous = overlapMs > 0 ? { previous: { key, until: now + overlapMs } } : {};
  return withEntry(secret, name, { ...before, key: numberAfter(key, now), ...previous });
}

/** Without a destination that was removed: no definition of it is good any more. */
export function forgotten(secret: DestinationSecret, name: string): DestinationSecret {
  const { [name]: _gone, ...rest } = secret.destinations ?? {};
  return { ...secret, destinations: rest };
}

function withEntry(secret: DestinationSecret, name: string, entry: DestinationEntry): DestinationSecret {
  return { ...secret, destinations: { ...secret.destinations, [name]: entry } };
}

/** Larger than the one before, and than all of a removed destination of the same name: seconds since 1970. */
function numberAfter(before: number | undefined, now: number): number {
  return Math.max((before ?? 0) + 1, Math.floor(now / 1_000));
}
