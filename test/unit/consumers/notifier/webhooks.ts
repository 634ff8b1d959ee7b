// The kinds of channels behind a webhook, for tests of what each of them has to do.
import { SLACK } from '../../../../functions/consumers/notifier/channels/slack/slack-webhook.ts';
import { TEAMS } from '../../../../functions/consumers/notifier/channels/teams/teams-webhook.ts';
import type { WebhookService } from '../../../../functions/consumers/notifier/channels/webhook-answer.ts';
import type { ChannelKind } from '../../../../functions/consumers/notifier/channels/kinds.ts';
import { aSlackChannel, aTeamsChannel } from './channels.ts';

type Answer = { status: number; body: string };

export type Webhook = {
  kind: ChannelKind;
  service: WebhookService;
  aChannel: (changes: {
    name?: string;
    queueArn?: string;
    queueUrl?: string;
    secretId?: string;
  }) => ReturnType<typeof aSlackChannel | typeof aTeamsChannel>;
  accepts: Answer;
  /** An answer after which the message is sent again, and its code. */
  fails: Answer & { reason: string };
  /** Answers that disable the channel. */
  refusals: readonly Answer[];
  /** The heading and the counts of a posted message. */
  headingOf: (json: unknown) => string;
};

type TeamsJson = { attachments: { content: { body: { inlines: { text: string }[] }[] } }[] };

const teamsError = (code: string): string => JSON.stringify({ error: { code, message: 'The workflow …' } });

export const WEBHOOKS: readonly Webhook[] = [
  {
    kind: 'slack',
    service: SLACK,
    aChannel: aSlackChannel,
    accepts: { status: 200, body: 'ok' },
    fails: { status: 400, body: 'invalid_blocks', reason: 'invalid_blocks' },
    refusals: [403, 404, 410].map((status) => ({ status, body: 'no_service' })),
    headingOf: (json) => (json as { text: string }).text,
  },
  {
    kind: 'teams',
    service: TEAMS,
    aChannel: aTeamsChannel,
    accepts: { status: 202, body: '' },
    fails: { status: 400, body: teamsError('TriggerInputSchemaMismatch'), reason: 'TriggerInputSchemaMismatch' },
    refusals: [
      { status: 400, body: teamsError('WorkflowTriggerIsNotEnabled') },
      { status: 401, body: teamsError('DirectApiAuthorizationRequired') },
      { status: 404, body: teamsError('WorkflowNotFound') },
      ...[403, 410].map((status) => ({ status, body: '' })),
    ],
    headingOf: (json) => {
      const [attachment] = (json as TeamsJson).attachments;
      const texts = attachment?.content.body.slice(0, 2).flatMap(({ inlines }) => inlines.map(({ text }) => text));
      return texts?.join(': ') ?? '';
    },
  },
];
