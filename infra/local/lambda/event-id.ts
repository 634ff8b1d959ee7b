// The event that an invocation is about, by the id that consumers know it by.

/** Of the JSON text of an EventBridge event: its entry's id, or that of the envelope. Undefined for anything else. */
export function eventIdIn(payload: string): string | undefined {
  try {
    const event = JSON.parse(payload) as { id?: unknown; detail?: { metadata?: { id?: unknown } } } | null;
    const id = event?.detail?.metadata?.id ?? event?.id;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
