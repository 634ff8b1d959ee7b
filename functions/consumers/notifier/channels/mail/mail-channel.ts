// A mail channel: sends one mail to all its mailboxes.
import type { Clock } from '../../../../shared/clock.ts';
import type { Channel } from '../channel.ts';
import type { ChannelsByKind } from '../../config.ts';
import { toMailMessage } from './email-message.ts';
import type { Mailer } from '../../ports.ts';
import { toPlainText } from '../../what-to-say/plain-text.ts';

/** A mail server may check a mail for a while before it answers. A mail that is cut off would be sent again. */
const MIN_SENDING_MS = 10_000;
/** In characters. */
const MAX_ANSWER = 200;

export function createMailChannel(
  settings: ChannelsByKind['email'],
  { mailer, clock }: { mailer: Mailer; clock: Clock },
): Channel {
  const { name, from, to, unsubscribe } = settings;
  return {
    name,
    service: settings.transport === 'ses' ? 'SES' : 'The mail server',
    check: async () => ((await mailer.isReady()) ? null : { kind: 'not-set' }),
    async send(changes, deadlineAt) {
      const timeoutMs = deadlineAt - clock.now();
      if (timeoutMs < MIN_SENDING_MS) return { kind: 'later', at: clock.now() };
      const { subject, text, html, digest } = toMailMessage(changes, settings);
      const mail = { from, to, subject, text, html, unsubscribe, messageId: `${name}.${digest}` };
      const answer = await mailer.send(mail, { timeoutMs });
      return answer === null ? { kind: 'not-set' } : { kind: 'sent', answer: toPlainText(answer, MAX_ANSWER) };
    },
  };
}
