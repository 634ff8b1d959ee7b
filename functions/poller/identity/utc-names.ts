// A field of an entry may say by its name that it is in UTC, whatever the organisation's time zone (Assumption A34).

/** `createdOnUtc`, `time_gmt` and `UTCDate`, but not `outcomeDate`. */
export function saysUtc(name: string): boolean {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.some((word) => /^(?:utc|gmt)|(?:utc|gmt)$/i.test(word));
}
