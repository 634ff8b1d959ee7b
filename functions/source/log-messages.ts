// Messages of the log that somebody looks for by their text.

/** What the log says of every gap: docs/operating.md and the operator's command filter by it. */
export const GAP_MESSAGE = 'A span of the log could not be read as a whole.';
