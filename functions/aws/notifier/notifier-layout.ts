// How the notifier's table is laid out: every key and attribute name of it, in this one place.
//
//   id                       holds
//   sent#<channel>#<event>   what is being told, until `until`, or was told, until expiresAt
//   pace#<channel>           when the channel may send next, and until when it is held
//   off#<channel>            under which version of its secret the channel was refused for good

/** The table's key, a string, and its time-to-live attribute, in seconds since 1970. */
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
