// The input and the result of a check.
import type { AuditHead } from '../../audit/checkpoint.ts';
import type { TrailRecord } from '../../source/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Chain, Head } from './checks/chain.ts';
import type { SourceComparison } from './service/compare-source.ts';
import type { AuditCopy } from '../bridge/audit-copy.ts';
import type { DayTally } from './checks/days.ts';
import type { Finding } from './findings.ts';
import type { KeptHead } from './head-file.ts';
import type { OpenDays } from './checks/open-days.ts';
import type { Period } from './period.ts';
import type { SourceReading } from './service/read-source.ts';
import type { Scan } from './copy/scan.ts';
import type { ReadSoFar } from './progress.ts';

/** The audit records in the state table, which are independent of the bucket. */
export type AuditTable = {
  readonly name: string;
  readHead(sourceId: string): Promise<AuditHead | null>;
  /** Every record that is not sealed yet. */
  readTrail(sourceId: string): Promise<TrailRecord[]>;
};

type DeadLetterQueue = { url: string; messages: number };

export type VerifyRequest = {
  copy: AuditCopy;
  sourceId: string;
  period: Period;
  /** The name of its bucket; null for a folder. */
  bucket: string | null;
  /** The head of the chain that the user recorded. */
  head: Head | null;
  /** The head that the last verification kept; null where none is kept, or not yet. */
  kept: KeptHead | null;
  table: AuditTable | null;
  /** Reads the service from a day on; null without --against-source. */
  readSource: ((fromDay: string | null) => Promise<SourceReading>) | null;
  readDeadLetters: () => Promise<DeadLetterQueue[]>;
  /** SHA-256 of the username that reads the service for the check; null without --against-source. */
  userSha256: string | null;
  clock: Pick<Clock, 'now'>;
  /** Called every thousand lines. */
  onProgress?: (counts: ReadSoFar) => void;
};

export type Verification = {
  copyName: string;
  bucket: string | null;
  sourceId: string;
  period: Period;
  checkedAt: number;
  chain: Chain;
  /** Older than this verification: it proves what is before it, and not where the chain ends. */
  kept: KeptHead | null;
  /** Where the newest head comes from; null if there is none, or only an older one. */
  headFrom: 'given' | 'table' | null;
  /** The last checkpoint that was found. */
  head: Head | null;
  /** The number of a checkpoint that the bus may not have yet. */
  pending: number | null;
  counts: Scan['counts'] & { checkpointDuplicates: number };
  days: DayTally;
  open: OpenDays | null;
  gaps: { from: string | null; to: string; reason: string }[];
  deliveryErrors: number;
  deadLetters: DeadLetterQueue[];
  source: (SourceComparison & { requests: number; isSameUser: boolean | null }) | null;
  findings: Finding[];
  /** What is in the copy and nothing proves or disproves. */
  unproven: Finding[];
};
