/** In the audit bucket, the prefix of the copy: gzip, one event per line as EventBridge delivers it. */
export const EVENTS_PREFIX = 'events/';
