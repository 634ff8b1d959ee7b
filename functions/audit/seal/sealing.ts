// What an invocation of the sealer works with.
import type { CredentialsReader, EventBus } from '../../source/ports.ts';
import type { SourceSettings } from '../../source/settings.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { AuditCheckpoint, AuditHead } from '../checkpoint.ts';
import type { AuditBucket, CheckpointChain, StateReader, TrailReader } from '../ports.ts';

export type SealInvocation = {
  settings: SourceSettings;
  /** Of the settings as the schedule has them. */
  settingsSha256: string;
  remainingMs: number;
  requestId: string;
  clock: Clock;
  log: Log;
  credentials: CredentialsReader;
  state: StateReader;
  trail: TrailReader;
  chain: CheckpointChain;
  bucket: AuditBucket;
  bus: EventBus;
};

/** An invocation at work. `head` is as it was last written, `made` counts the checkpoints. */
export type Sealing = SealInvocation & {
  head: AuditHead | null;
  made: number;
  /** When no further checkpoint is begun, and when publishing gives up; ms since 1970. */
  stopAt: number;
  publishAt: number;
};

/** A checkpoint without what the chain adds, and what it makes of the head. */
export type Draft = {
  checkpoint: Pick<AuditCheckpoint, 'kind' | 'day' | 'amendment' | 'entries' | 'quarantined' | 'digest' | 'manifest'>;
  head: Pick<AuditHead, 'since' | 'firstDay' | 'nextDay'>;
};
