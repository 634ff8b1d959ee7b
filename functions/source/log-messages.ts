// Messages of the log that somebody looks for by their text.

/** What the log says of every gap: docs/operating.md and the operator's command filter by it. */
export const GAP_MESSAGE = 'A span of the log could not be read as a whole.';

/** What the log says of every run of the poller that fails, with the error's code and message. */
export const RUN_FAILED = 'The run failed.';
