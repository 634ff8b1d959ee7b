// What one invocation works with, and what it counts.
import type { ActionLog } from '../membership/action-log.ts';
import type { OnRequest } from '../membership/token.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Answer } from './ask-page.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { createLedgerView, type LedgerView } from './ledger-view.ts';
import { createNotices, type Notices } from './notices.ts';
import type { AuditTrail, EventBus, Lease, Ledger, Quarantine, StateStore } from '../source/ports.ts';
import { createReadAhead, type ReadAhead } from './read-ahead.ts';
import { createRequestBudget, type RequestBudget } from './request-budget.ts';
import type { SourceSettings } from '../source/settings.ts';
import type { SourceState } from '../source/state.ts';

export type RunCounts = {
  entriesRead: number;
  eventsPublished: number;
  duplicatesSuppressed: number;
  quarantined: number;
  late: number;
  /** Of the published: those stamped well ahead of the clock. */
  futureDated: number;
  baseline: number;
};

/** What a run asks of the session with the service that outlives it: a say before each request, and no login with refused credentials. */
export type ServiceSession = {
  actionLog: ActionLog;
  /** Makes sure that there is a token. Rejects with CredentialsNotSet, CredentialsRefused or what a request can fail with. */
  login(options: { timeoutMs: number }): Promise<void>;
  /** The version of the secret that the session has logged in with; null before a login. */
  secretVersion(): string | null;
  /** Binds the session to a run: `onRequest` is awaited before each HTTP request, `refusedVersion` names the secret version that must not log in. */
  attach(run: { onRequest: OnRequest; refusedVersion: () => string | null }): void;
};

/** An invocation as the handler makes it. */
export type Invocation = {
  settings: SourceSettings;
  /** Time left until the function is stopped, in ms. */
  remainingMs: number;
  /** Unique to the invocation: the owner of the lease. */
  owner: string;
  requestId: string;
  traceHeader: string | undefined;
  clock: Clock;
  log: Log;
  session: ServiceSession;
  store: StateStore;
  ledger: Ledger;
  quarantine: Quarantine;
  /** null where no copy is kept for auditors. */
  auditTrail: AuditTrail | null;
  bus: EventBus;
};

export type Run = {
  settings: SourceSettings;
  clock: Clock;
  log: Log;
  requestId: string;
  traceHeader: string | undefined;
  deadline: Deadline;
  budget: RequestBudget;
  session: ServiceSession;
  actionLog: ActionLog;
  /** The page after the one at hand. */
  ahead: ReadAhead<Answer>;
  store: StateStore;
  ledger: LedgerView;
  quarantine: Quarantine;
  auditTrail: AuditTrail | null;
  bus: EventBus;
  notices: Notices;
  lease: Lease;
  /** The second lane is at work: what the service refuses it says nothing of live work. */
  inPast: boolean;
  /** The state as it would be written now: replaced as a whole at each step, never ahead of the ledger. */
  state: SourceState;
  counts: RunCounts;
};

/** Everything a run needs, made from its invocation and the state that came with the lease. */
export function openRun(invocation: Invocation, lease: Lease, state: SourceState): Run {
  const { settings, clock, log, bus, requestId } = invocation;
  const { sourceId } = settings;
  const now = (): number => clock.now();
  const deadline = createDeadline(now, invocation.remainingMs);
  const budget = createRequestBudget({
    slots: state.requestSlots,
    perMinute: settings.maxRequestsPerMinute,
    deadlineAt: deadline.at,
    clock,
  });
  const remembered = state.noticed;
  const notices = createNotices({
    bus,
    log,
    sourceId,
    requestId,
    now,
    deadlineAt: () => deadline.publishAt,
    remembered,
  });
  invocation.session.attach({
    onRequest: (kind) => (kind === 'token' ? budget.countLogin() : budget.take()),
    refusedVersion: () => state.breaker?.secretVersion ?? null,
  });
  return {
    ...pick(invocation),
    deadline,
    budget,
    actionLog: invocation.session.actionLog,
    ahead: createReadAhead(),
    ledger: createLedgerView({ ledger: invocation.ledger, sourceId, now }),
    notices,
    lease,
    inPast: false,
    state,
    counts: {
      entriesRead: 0,
      eventsPublished: 0,
      duplicatesSuppressed: 0,
      quarantined: 0,
      late: 0,
      futureDated: 0,
      baseline: 0,
    },
  };
}

function pick(invocation: Invocation) {
  const { settings, clock, log, requestId, traceHeader, session, store, quarantine, auditTrail, bus } = invocation;
  return { settings, clock, log, requestId, traceHeader, session, store, quarantine, auditTrail, bus };
}
