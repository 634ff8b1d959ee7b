// A channel of mail: one mail to all of its mailboxes.
import type { Clock } from '../../shared/clock.ts';
import type { Channel } from './channel.ts';
import type { EmailChannel } from './config.ts';
import { toMailMessage } from './email-message.ts';
import type { Mailer } from './ports.ts';

/** A mail server may think for a while about what it was given; one that is cut off meanwhile is given it again. */
const SENDING_MS = 10_000;

export function createMailChannel(
  settings: EmailChannel,
  { mailer, clock }: { mailer: Mailer; clock: Clock },
): Channel {
  const { name, from, to } = settings;
  return {
    name,
    check: async () => ((await mailer.isReady()) ? null : { kind: 'not-set' }),
    async tell(changes, deadlineAt) {
      const timeoutMs = deadlineAt - clock.now();
      if (timeoutMs < SENDING_MS) return { kind: 'later', at: clock.now() };
      const { subject, text, html, digest } = toMailMessage(changes, settings);
      const mail = { from, to, subject, text, html, messageId: `${name}.${digest}` };
      const isSent = await mailer.send(mail, { timeoutMs });
      return isSent ? { kind: 'sent' } : { kind: 'not-set' };
    },
  };
}
