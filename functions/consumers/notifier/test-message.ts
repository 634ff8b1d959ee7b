// A sample for one channel, sent as its own messages are, but remembered nowhere.
import type { ActionLogEvent } from '../../events/index.ts';
import { BridgeError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Channel } from './channels/channel.ts';
import { toChange, type Change } from './what-to-say/change.ts';

/** The event of `membership-bridge notify test`. */
export type TestEvent = { test: string };

/** What came back. Nothing in it is secret; `answer` and `reason` may hold text of the receiver, on one line. */
export type TestResult =
  | { outcome: 'unknown'; channels: string[] }
  | { outcome: 'sent'; service: string; answer: string }
  /** `at`: from when on a message may be sent, in ms since 1970. */
  | { outcome: 'later'; service: string; at: number }
  | { outcome: 'not-set'; service: string }
  /** The receiver has refused this version of the secret, now or earlier. */
  | { outcome: 'refused'; service: string; status: number }
  | { outcome: 'failed'; service: string; reason: string };

/** Sends the sample. Rejects only for a defect. */
export async function sendTest(
  channel: Channel,
  { id, clock, deadlineAt }: { id: string; clock: Clock; deadlineAt: number },
): Promise<TestResult> {
  const { service } = channel;
  try {
    const outcome = await channel.send(sampleChanges(channel.name, { id, at: clock.now() }), deadlineAt);
    if (outcome.kind === 'sent') return { outcome: 'sent', service, answer: outcome.answer };
    if (outcome.kind === 'later') return { outcome: 'later', service, at: outcome.at };
    if (outcome.kind === 'refused') return { outcome: 'refused', service, status: outcome.status };
    return { outcome: 'not-set', service };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { outcome: 'failed', service, reason: error.message };
  }
}

/** A notice that says what this is, and a change of nobody as the channel shows changes. */
function sampleChanges(name: string, { id, at }: { id: string; at: number }): Change[] {
  const sample = toChange(sampleEvent(`${id}#sample`, new Date(at).toISOString()));
  const what = `This is a test of the channel ${name}. The change below is a sample: nothing has happened.`;
  return [{ ...sample, id: `${id}#notice`, what, action: null, member: null, isNotice: true }, sample];
}

function sampleEvent(id: string, at: string): ActionLogEvent<'MemberChanged'> {
  const envelope = { id, version: '0', account: '', time: at, region: '', resources: [] };
  const metadata = {
    id,
    version: '1' as const,
    sourceId: 'sample',
    organisationId: null,
    actionKey: 'ContactUpdated',
    organisationMembershipId: null,
    occurredAt: at,
    occurredAtText: at,
    observedAt: at,
    entrySha256: '',
    late: false,
    backfillId: null,
    requestId: id,
  };
  const detail = { metadata, data: { memberName: 'Sample Member' } };
  return { ...envelope, source: 'membership.actionlog', 'detail-type': 'MemberChanged', detail };
}
