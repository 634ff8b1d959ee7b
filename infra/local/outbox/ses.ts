// SES version 2, as far as our functions use it: puts mails composed as MIME into the outbox.
import { randomUUID } from 'node:crypto';
import { AwsRefusal, type Operation } from '../platform/aws-call.ts';
import { checkMembers } from '../cloudformation/known-properties.ts';
import type { Outbox } from './outbox.ts';

/** SES's limit per mail. */
const MAX_RECIPIENTS = 50;

type SendEmail = {
  FromEmailAddress?: string;
  Destination?: { ToAddresses?: string[] };
  Content?: { Raw?: { Data?: string } };
};

/** Throws Unsupported for a mail that is not raw MIME, and for other parameters. */
export function createSes(outbox: Outbox): Record<string, Operation> {
  return {
    SendEmail: (input) => {
      const { FromEmailAddress: from, Destination = {}, Content = {}, ...more } = input as SendEmail;
      checkMembers(more, [], 'a mail');
      checkMembers(Content, ['Raw'], 'the content of a mail');
      checkMembers(Destination, ['ToAddresses'], 'the recipients of a mail');
      const { ToAddresses: to = [] } = Destination;
      const raw = Content.Raw?.Data ?? '';
      if (from === undefined || raw === '' || to.length === 0 || to.length > MAX_RECIPIENTS)
        throw new AwsRefusal(
          'BadRequestException',
          `A mail has a sender, a content and 1 to ${MAX_RECIPIENTS} recipients.`,
        );
      outbox.keep({ kind: 'mail', at: Date.now(), from, to, raw });
      return { MessageId: randomUUID() };
    },
  };
}
