// The checkpoint that begins the claim: the first of all, and one after the trail was switched off.
import type { AuditHead } from '../checkpoint.ts';
import { dayOf, earlierOf, laterOf } from './days.ts';
import type { Draft, Sealing } from './sealing.ts';

/** Whether the trail was off since the chain's last `begin`: it begins at another instant then. */
export function beginsAnew(head: AuditHead, auditSince: number): boolean {
  return head.since !== toInstant(auditSince);
}

/**
 * The first one seals from the earliest day of the trail on, which holds the past that `startFrom` asked for. A later one does not seal the days while the trail was
 * off: of those there are amendments at most, with what the trail has of them.
 */
export async function beginning(sealing: Sealing, auditSince: number): Promise<Draft> {
  const { head, trail, settings } = sealing;
  const firstDay =
    head === null
      ? earlierOf(dayOf(auditSince), await trail.firstDay(settings.sourceId, null))
      : laterOf(head.nextDay, dayOf(auditSince));
  return {
    checkpoint: { kind: 'begin', day: null, amendment: 0, entries: 0, quarantined: 0, digest: null, manifest: null },
    head: { since: toInstant(auditSince), firstDay, nextDay: firstDay },
  };
}

function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
