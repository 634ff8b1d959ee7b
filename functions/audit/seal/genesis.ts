// The checkpoint of kind `begin`: the first of a chain, and the first after the trail was switched off.
import type { AuditHead } from '../checkpoint.ts';
import { dayOf, earlierOf, laterOf } from './days.ts';
import type { Draft, Sealing } from './sealing.ts';

/** Whether the trail was off since the chain's last `begin`: it then starts at another instant. */
export function needsGenesis(head: AuditHead, auditSince: number): boolean {
  return head.since !== toInstant(auditSince);
}

/**
 * The first one covers the trail from its earliest day on, including the past that `startFrom` asks for. A later one
 * leaves out the days while the trail was off: records of those days become amendments.
 */
export async function genesis(sealing: Sealing, auditSince: number): Promise<Draft> {
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
