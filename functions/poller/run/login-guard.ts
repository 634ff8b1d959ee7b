// Marks a login with a version of the secret that has not logged in yet, before it is sent, and counts refusals.
import type { Clock } from '../../shared/clock.ts';
import type { OnLogin } from '../../membership/token.ts';
import { markBefore, withRefusal, withSuccess } from '../../source/first-login.ts';
import type { LoginMark } from '../../source/state.ts';
import type { SourceRecord } from './commit.ts';

/** `begins` rejects with LoginUnresolved where no login may be sent, and with what storing the mark rejects with. */
export type LoginGuard = Required<OnLogin> & {
  /** Settles the mark of a run that comes to its end. */
  settle(): void | Promise<void>;
};

export function createLoginGuard({ record, clock }: { record: SourceRecord; clock: Clock }): LoginGuard {
  /** `before`: what stood in the place of the mark. */
  let marked: { secretVersion: string; before: LoginMark | undefined } | null = null;
  return {
    async begins(secretVersion) {
      const ofRun = marked?.secretVersion ?? null;
      const mark = markBefore(record.state, { secretVersion, now: clock.now(), marked: ofRun });
      if (mark === null) return;
      marked = { secretVersion, before: record.state.login };
      record.commit({ login: mark });
      await record.save();
    },
    succeeds(secretVersion) {
      record.commit(withSuccess(record.state, secretVersion, clock.now()));
      marked = null;
    },
    refused(secretVersion) {
      record.commit(withRefusal(record.state, secretVersion, clock.now()));
      marked = null;
    },
    // What the service did not answer does not count: the next run may try again.
    settle() {
      if (marked !== null) record.commit({ login: marked.before });
      marked = null;
    },
  };
}
