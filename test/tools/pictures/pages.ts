// The pages of the pictures.
import { toMailMessage } from '../../../functions/consumers/notifier/channels/mail/email-message.ts';
import { escapeHtml } from '../../../functions/consumers/notifier/channels/mail/email-layout.ts';
import { toSlackMessage } from '../../../functions/consumers/notifier/channels/slack/slack-message.ts';
import { toTeamsMessage } from '../../../functions/consumers/notifier/channels/teams/teams-card.ts';
import { aDay, CHANNEL } from './a-day.ts';
import { toSlackPage } from './slack-page.ts';
import { toTeamsPage } from './teams-page.ts';

export type Page = { name: string; html: string; width: number; height: number };

/** The mail in light and dark mode and on a phone, and the messages of Slack and Teams. */
export function pages(): Page[] {
  const day = aDay();
  const { html } = toMailMessage(day, CHANNEL);
  // A headless browser has no color preference, and its window cannot be as narrow as a phone.
  const dark = html.replaceAll('@media (prefers-color-scheme: dark)', '@media all');
  return [
    { name: 'mail-light', html, width: 720, height: 1_250 },
    { name: 'mail-dark', html: dark, width: 720, height: 1_250 },
    { name: 'mail-phone', html: onPhone(html), width: 390, height: 1_420 },
    { name: 'slack', html: toSlackPage(toSlackMessage(day, CHANNEL)), width: 720, height: 640 },
    { name: 'teams', html: toTeamsPage(toTeamsMessage(day, CHANNEL)), width: 720, height: 740 },
  ];
}

function onPhone(html: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The mail on a phone</title><style>body{margin:0}iframe{display:block;border:0;width:390px;height:1420px}</style></head>
<body><iframe title="mail" srcdoc="${escapeHtml(html)}"></iframe></body>
</html>
`;
}
