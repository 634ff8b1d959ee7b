// Workflows of Teams that begin "when a Teams webhook request is received". docs/notifications.md has the sources and
// what is assumed.
import { isNode } from '../json-nodes.ts';
import type { LocalWebhook } from '../local-webhook.ts';
import { TEAMS_STYLE, teamsHtml } from './teams-html.ts';

const PATH = '/powerautomate/automations/direct/workflows/';
const PATH_END = '/triggers/manual/paths/invoke';
const QUERY = '?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=';

export const LOCAL_TEAMS: LocalWebhook = {
  title: 'Teams',
  pathOf: (channel, key) => `${PATH}${encodeURIComponent(channel)}${PATH_END}${QUERY}${key}`,
  read(path) {
    const [name = '', query] = path.split('?', 2);
    if (!name.startsWith(PATH) || !name.endsWith(PATH_END)) return null;
    return {
      encodedChannel: name.slice(PATH.length, -PATH_END.length),
      key: new URLSearchParams(query).get('sig') ?? '',
    };
  },
  // Four messages a second.
  paceMs: 250,
  // A workflow takes any JSON. What Teams itself refuses is seen in the workflow's history, and here on the page.
  refusalOf: (payload) => (isNode(payload) ? null : refusal(400, 'InvalidRequestContent')),
  answers: {
    accepted: { status: 202, body: '' },
    forbidden: refusal(401, 'DirectApiAuthorizationRequired'),
    tooFast: refusal(429, 'TooManyRequests'),
    down: refusal(503, 'ServiceUnavailable'),
  },
  sender: 'Workflows',
  style: TEAMS_STYLE,
  toHtml: teamsHtml,
};

function refusal(status: number, code: string) {
  return { status, body: JSON.stringify({ error: { code, message: 'This is the local Teams.' } }) };
}
