// Channels of which a test says only what matters.
import type { EmailChannel, SlackChannel } from '../../../../functions/consumers/notifier/config.ts';

export function aSlackChannel(changes: Partial<SlackChannel> = {}): SlackChannel {
  return { ...common('office-slack'), kind: 'slack', secretId: 'slack-secret', ...changes };
}

export function aMailChannel(changes: Partial<EmailChannel> = {}): EmailChannel {
  return {
    ...common('board-mail'),
    kind: 'email',
    from: 'bridge@example.org',
    to: ['board@example.org'],
    transport: { ses: true },
    ...changes,
  };
}

function common(name: string) {
  return {
    name,
    queueUrl: `http://127.0.0.1:1/000000000000/${name}`,
    queueArn: `arn:aws:sqs:eu-west-1:000000000000:${name}`,
    timeZone: 'Europe/Amsterdam',
    delivery: 'immediate' as const,
  };
}
