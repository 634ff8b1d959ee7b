// A channel of Slack: paused without an address, off after a refusal, a message a second, patient when asked.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import type { Poster } from '../post.ts';
import type { Channel, Outcome, Shut } from './channel.ts';
import type { SlackChannel } from './config.ts';
import type { ClosedChannels, Pace, UrlSecret } from './ports.ts';
import { readSlackAnswer, type SlackVerdict } from './slack-answer.ts';
import { toSlackMessage } from './slack-message.ts';

/** Slack takes a message a second; counted from the answer, so that however long a message is on its way, the next does not arrive sooner. */
const INTERVAL_MS = 1_000;
/** A function that waits is paid for: longer waits are for the queue. */
const LONGEST_WAIT_MS = 15_000;
/** A turn is looked for so often while another invocation has it. */
const LOOKING_MS = 250;
/** Kept of the time for the message itself. */
const SENDING_MS = 5_000;
/** The longest a message takes, and a little: a turn of the dead ends then. */
const LONGEST_TURN_MS = 12_000;

type Hook = { versionId: string; url: string };

export type SlackParts = { secret: UrlSecret; closed: ClosedChannels; pace: Pace; poster: Poster; clock: Clock };

export function createSlackChannel(settings: SlackChannel, parts: SlackParts): Channel {
  const { name } = settings;
  const { pace, poster, clock } = parts;
  return {
    name,
    async check() {
      const hook = await openHook(settings, parts);
      return 'kind' in hook ? hook : null;
    },
    async tell(changes, deadlineAt) {
      const hook = await openHook(settings, parts);
      if ('kind' in hook) return hook;
      const turn = await waitForTurn(name, { pace, clock, deadlineAt });
      if (turn.kind === 'later') return turn;
      let nextAt = 0;
      try {
        const json = JSON.stringify(toSlackMessage(changes, settings));
        const answer = await poster.post(hook.url, json, { timeoutMs: deadlineAt - clock.now() });
        const verdict = readSlackAnswer(answer, clock.now());
        if (verdict.kind === 'wait') nextAt = verdict.until;
        return await conclude(name, verdict, { closed: parts.closed, versionId: hook.versionId });
      } finally {
        // A turn that is not given on ends by itself; what was told must not be told again for it.
        const next = { owner: turn.owner, nextAt: Math.max(nextAt, clock.now() + INTERVAL_MS) };
        await pace.giveOn(name, next).catch(() => {});
      }
    },
  };
}

/** Where to post, or why not. */
async function openHook(settings: SlackChannel, { secret, closed }: SlackParts): Promise<Shut | Hook> {
  const { versionId, url } = await secret.read();
  if (url === null) return { kind: 'not-set' };
  const off = await closed.read(settings.name);
  if (off?.versionId === versionId) return { kind: 'refused', ...off };
  return { versionId, url: toWebhookUrl(url, settings) };
}

async function conclude(
  name: string,
  verdict: SlackVerdict,
  { closed, versionId }: Pick<SlackParts, 'closed'> & { versionId: string },
): Promise<Outcome> {
  if (verdict.kind === 'sent') return verdict;
  if (verdict.kind === 'wait') return { kind: 'later', at: verdict.until };
  await closed.close(name, { versionId, status: verdict.status });
  return { ...verdict, versionId };
}

type Turn = { kind: 'turn'; owner: string };

/** Waits for the turn as long as a function should; says when to come back where that is not long enough. */
async function waitForTurn(
  name: string,
  { pace, clock, deadlineAt }: Pick<SlackParts, 'pace' | 'clock'> & { deadlineAt: number },
): Promise<Turn | (Outcome & { kind: 'later' })> {
  const owner = randomUUID();
  const latest = Math.min(deadlineAt - SENDING_MS, clock.now() + LONGEST_WAIT_MS);
  for (;;) {
    // A message that is cut off on its way may have been taken, and would be told again: none is sent without the time for it.
    if (clock.now() > latest) return { kind: 'later', at: clock.now() };
    const turn = await pace.take(name, { owner, until: clock.now() + LONGEST_TURN_MS });
    if (turn.isTaken) return { kind: 'turn', owner };
    if (turn.at > latest) return { kind: 'later', at: turn.at };
    await clock.sleep(Math.min(Math.max(turn.at - clock.now(), 1), LOOKING_MS));
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** https, or http on this machine alone: a webhook's address is all that is needed to write to the channel. */
function toWebhookUrl(text: string, { name, secretId }: SlackChannel): string {
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (isSafe && username === '' && password === '') return text;
  throw new BridgeError(
    'CredentialsUnreadable',
    `The secret ${secretId} of the channel ${name} holds no https address.`,
    {
      retryable: false,
      details: { channel: name, secretId },
    },
  );
}
