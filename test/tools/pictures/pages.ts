// The pages of the pictures.
import { toMailMessage } from '../../../functions/consumers/notifier/channels/mail/email-message.ts';
import { escapeHtml } from '../../../functions/consumers/notifier/channels/mail/email-layout.ts';
import { toSlackMessage } from '../../../functions/consumers/notifier/channels/slack/slack-message.ts';
import { toTeamsMessage } from '../../../functions/consumers/notifier/channels/teams/teams-card.ts';
import { CHANGES, OPTIONS } from './samples.ts';
import { toSlackPage } from './slack-page.ts';
import { toTeamsPage } from './teams-page.ts';

export type Page = { name: string; html: string; width: number; height: number };

/** The mail in light and dark mode and on a phone, and the messages of Slack and Teams. */
export function pages(): Page[] {
  const { html } = toMailMessage(CHANGES, OPTIONS);
  // A headless browser has no color preference, and its window cannot be as narrow as a phone.
  const dark = html.replaceAll('@media (prefers-color-scheme: dark)', '@media all');
  return [
    { name: 'mail-light', html, width: 720, height: 940 },
    { name: 'mail-dark', html: dark, width: 720, height: 940 },
    { name: 'mail-phone', html: onPhone(html), width: 390, height: 1_120 },
    { name: 'slack', html: toSlackPage(toSlackMessage(CHANGES, OPTIONS)), width: 720, height: 620 },
    { name: 'teams', html: toTeamsPage(toTeamsMessage(CHANGES, OPTIONS)), width: 720, height: 560 },
  ];
}

function onPhone(html: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The mail on a phone</title><style>body{margin:0}iframe{display:block;border:0;width:390px;height:1120px}</style></head>
<body><iframe title="mail" srcdoc="${escapeHtml(html)}"></iframe></body>
</html>
`;
}
