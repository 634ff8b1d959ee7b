import * as z from 'zod/mini';
import { choiceInput, patternInput } from '../../../../shared/checked-input.ts';
import type { KindDefinition } from '../kind-definition.ts';

/** The limit of SES for a mail. A message to more people is a newsletter. */
const MAX_RECIPIENTS = 50;

/** One mailbox without a name, in a form that cannot be read as two or as another header. */
const mailbox = patternInput('an address such as office@example.org', /[^\s@<>(),;:"\\]{1,64}@[\w.-]{1,253}/);

const settings = {
  from: mailbox,
  to: z
    .array(mailbox, { error: 'is not a list; write a list of addresses' })
    .check(
      z.minLength(1, { error: 'is empty; write at least one address' }),
      z.maxLength(MAX_RECIPIENTS, { error: `is too long; write at most ${MAX_RECIPIENTS} addresses` }),
    ),
  /** SES, where it has verified the sender; or a server of one's own, whose address is the secret. */
  transport: z._default(choiceInput(['ses', 'smtp']), 'ses'),
};

type MailSettings = { name: string } & { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]> };

/** A list of mailboxes. The secret of an SMTP server is `{ "url": "smtp://user:password@host:port" }`. */
export const MAIL_KIND = {
  settings,
  addressOf: ({ name, transport }: MailSettings) => (transport === 'smtp' ? `mail server of ${name}` : null),
  sesSenderOf: ({ from, transport }: MailSettings) => (transport === 'ses' ? from : null),
} satisfies KindDefinition;
