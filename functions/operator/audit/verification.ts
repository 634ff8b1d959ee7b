// What a check is asked, and what it answers.
import type { AuditHead } from '../../audit/checkpoint.ts';
import type { TrailRecord } from '../../source/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Chain, Head } from './checks/chain.ts';
import type { SourceComparison } from './service/compare-source.ts';
import type { AuditCopy } from './copy/copy.ts';
import type { DayTally } from './checks/days.ts';
import type { Finding } from './findings.ts';
import type { OpenDays } from './checks/open-days.ts';
import type { Period } from './period.ts';
import type { SourceReading } from './service/read-source.ts';
import type { Scan } from './copy/scan.ts';

/** What the state table tells, outside of the bucket. */
export type AuditTable = {
  readonly name: string;
  readHead(sourceId: string): Promise<AuditHead | null>;
  /** Everything not sealed yet. */
  readTrail(sourceId: string): Promise<TrailRecord[]>;
};

export type DeadLetterQueue = { url: string; messages: number };

export type VerifyRequest = {
  copy: AuditCopy;
  sourceId: string;
  period: Period;
  /** The end of the chain as somebody wrote it down; the table tells it too. */
  head: Head | null;
  table: AuditTable | null;
  /** Reads the service from a day on; null where it is not asked. */
  readSource: ((fromDay: string | null) => Promise<SourceReading>) | null;
  readDeadLetters: () => Promise<DeadLetterQueue[]>;
  /** SHA-256 of the name of the user who reads the service for the check; null where it is not read. */
  userSha256: string | null;
  clock: Pick<Clock, 'now'>;
};

export type Verification = {
  copyName: string;
  sourceId: string;
  period: Period;
  checkedAt: number;
  chain: Chain;
  /** Who told the end of the chain; null where nobody did, or only an end of earlier. */
  headFrom: 'given' | 'table' | null;
  /** The last checkpoint, as it was found. */
  head: Head | null;
  /** A checkpoint is in the chain and not known to be on the bus. */
  pending: number | null;
  counts: Scan['counts'] & { checkpointDuplicates: number };
  days: DayTally;
  open: OpenDays | null;
  gaps: { from: string | null; to: string; reason: string }[];
  deliveryErrors: number;
  deadLetters: DeadLetterQueue[];
  source: (SourceComparison & { requests: number; isSameUser: boolean | null }) | null;
  findings: Finding[];
};
