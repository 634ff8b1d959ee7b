// Renders a message of Teams as HTML, roughly like Teams, for the pictures.
import type { TeamsMessage } from '../../../functions/consumers/notifier/channels/teams/teams-card.ts';
import { teamsHtml, TEAMS_STYLE } from '../../../infra/local/outbox/teams/teams-html.ts';

const STYLE = `
body { margin: 0; padding: 20px 24px; background: #f5f5f5; color: #242424; font: 14px/1.43 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
.app { display: grid; grid-template-columns: 32px 1fr; gap: 12px; max-width: 640px; }
.icon { width: 32px; height: 32px; border-radius: 4px; background: #5b5fc7; }
.from { font-weight: 600; } .from small { font-weight: 400; color: #616161; margin-left: 8px; }
.card { background: #fff; border: 1px solid #e0e0e0; border-radius: 6px; margin-top: 6px; padding: 6px 14px 14px; }
a { text-decoration: none; }${TEAMS_STYLE}`;

/** A document with one message. */
export function toTeamsPage(message: TeamsMessage): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The notifier in Teams</title><style>${STYLE}
</style></head>
<body><div class="app"><div class="icon"></div><div>
<div class="from">Workflows<small>10:30</small></div>
<div class="card">${teamsHtml(message)}</div>
</div></div></body>
</html>
`;
}
