// A channel of mail: one mail to all of its mailboxes.
import type { Channel } from './channel.ts';
import type { EmailChannel } from './config.ts';
import { toMailMessage } from './email-message.ts';
import type { Mailer } from './ports.ts';

export function createMailChannel(settings: EmailChannel, mailer: Mailer): Channel {
  const { name, from, to } = settings;
  return {
    name,
    check: async () => ((await mailer.isReady()) ? null : { kind: 'not-set' }),
    async tell(changes) {
      const { subject, text, html, digest } = toMailMessage(changes, settings);
      const isSent = await mailer.send({ from, to, subject, text, html, messageId: `${name}.${digest}` });
      return isSent ? { kind: 'sent' } : { kind: 'not-set' };
    },
  };
}
