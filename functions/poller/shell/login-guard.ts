// Marks the first login with a version of the secret in the state before it is sent.
import type { Clock } from '../../shared/clock.ts';
import type { OnLogin } from '../../membership/token.ts';
import { markAfter, markBefore } from '../../source/first-login.ts';
import type { SourceRecord } from '../commit.ts';

/** `begins` rejects with LoginUnresolved where no login may be sent, and with what storing the mark rejects with. */
export type LoginGuard = OnLogin & {
  /** Settles the mark of a run that comes to its end. */
  settle(): void;
};

export function createLoginGuard({ record, clock }: { record: SourceRecord; clock: Clock }): LoginGuard {
  let marked: string | null = null;
  return {
    async begins(secretVersion) {
      const mark = markBefore(record.state.login, { secretVersion, now: clock.now(), marked });
      if (mark === null) return;
      record.commit({ login: mark });
      await record.save();
      marked = secretVersion;
    },
    succeeds: (secretVersion) => record.commit({ login: { secretVersion, at: clock.now(), isProven: true } }),
    settle: () => record.commit({ login: markAfter(record.state.login, marked) }),
  };
}
