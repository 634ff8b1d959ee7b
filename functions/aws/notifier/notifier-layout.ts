// The layout of the notifier's table: every key is made here.
//
//   id                       holds
//   sent#<channel>#<event>   a claim, until `until`, or a sent event, until expiresAt
//   pace#<channel>           when the channel may send next, and who has the turn
//   off#<channel>            the version of the secret with which the channel was refused for good

/** The table's key, a string, and its time-to-live attribute in seconds since 1970. */
export const NOTIFIER_TABLE_KEYS = { id: 'id', timeToLive: 'expiresAt' } as const;

export function sentKey(channel: string, eventId: string): string {
  return `sent#${channel}#${eventId}`;
}

export function paceKey(channel: string): string {
  return `pace#${channel}`;
}

export function offKey(channel: string): string {
  return `off#${channel}`;
}
