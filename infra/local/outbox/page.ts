// The page that shows what would have been sent: mails as a mail client does, messages roughly as their service does.
import { escapeHtml } from './escape-html.ts';
import type { SentMail, SentMessage } from './outbox.ts';
import { TEAMS_STYLE } from './teams/teams-html.ts';
import { LOCAL_WEBHOOKS } from './webhooks.ts';

/** A mail with its parsed parts. */
export type ReadMail = SentMail & { subject: string; html: string; text: string };

/** Nothing on the page runs or is fetched: the content of mails is foreign. */
export const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self' about:";

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1d1c1d; background: #f4f4f5 }
article { background: #fff; border: 1px solid #ddd; border-radius: 8px; margin: 1rem 0; overflow: hidden }
header { border-bottom: 1px solid #eee; padding: .6rem 1rem; font-size: 13px; color: #555 }
header b { color: #1d1c1d } .message { padding: .6rem 1rem } .message h3 { margin: .3rem 0 } .message ul { margin: .2rem 0 }
.context { font-size: 13px; color: #616061 } iframe { border: 0; width: 100%; height: 34rem; background: #fff }
pre { white-space: pre-wrap; margin: 0; padding: .6rem 1rem; font-size: 13px }${TEAMS_STYLE}`;

/** Newest first. `timeZone` is the reader's. */
export function outboxPage(sent: readonly (ReadMail | SentMessage)[], timeZone?: string): string {
  const items = sent
    .toReversed()
    .map((one) => (one.kind === 'mail' ? mailItem(one, timeZone) : messageItem(one, timeZone)));
  const content = items.length === 0 ? '<p>Nothing was sent yet.</p>' : items.join('\n');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Outbox (${sent.length})</title><style>${STYLE}</style>
<h1>Outbox</h1><p>What would have been sent to people: ${sent.length}. Reload the page to see more.</p>
${content}</html>`;
}

function mailItem({ at, from, to, subject, html, text }: ReadMail, timeZone?: string): string {
  const head = `<header>Mail, ${timeOf(at, timeZone)}<br>From ${escapeHtml(from)} to ${escapeHtml(to.join(', '))}<br><b>${escapeHtml(subject)}</b></header>`;
  // Without allow-scripts and allow-same-origin, it can run nothing and read nothing of this page.
  const frame = html === '' ? '' : `<iframe sandbox="" title="Mail" srcdoc="${escapeHtml(html)}"></iframe>`;
  return `<article>${head}${frame}<details><summary>As text</summary><pre>${escapeHtml(text)}</pre></details></article>`;
}

function messageItem({ kind, at, channel, payload }: SentMessage, timeZone?: string): string {
  const service = LOCAL_WEBHOOKS[kind];
  const head = `<header>${service.title}, ${timeOf(at, timeZone)}<br><b>#${escapeHtml(channel)}</b></header>`;
  return `<article>${head}<div class="message">${service.toHtml(payload)}</div></article>`;
}

function timeOf(at: number, timeZone?: string): string {
  return new Date(at).toLocaleString('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
}
