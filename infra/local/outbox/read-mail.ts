// Mails as they were sent are MIME; here they become what a mail client shows.
import PostalMime from 'postal-mime';
import type { Sent, SentMail } from './outbox.ts';

/** A mail with its parsed parts. */
export type ReadMail = SentMail & { subject: string; html: string; text: string };

/** Parses a mail; returns anything else as it is. */
export async function read(sent: Sent): Promise<ReadMail | Exclude<Sent, SentMail>> {
  if (sent.kind !== 'mail') return sent;
  const { subject = '', html = '', text = '' } = await PostalMime.parse(Buffer.from(sent.raw, 'base64'));
  return { ...sent, subject, html, text };
}
