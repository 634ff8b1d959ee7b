// Channels of which a test says only what matters.
import type { ChannelsByKind } from '../../../../functions/consumers/notifier/config.ts';

export function aSlackChannel(changes: Partial<ChannelsByKind['slack']> = {}): ChannelsByKind['slack'] {
  return { ...common('office-slack'), kind: 'slack', ...changes };
}

export function aTeamsChannel(changes: Partial<ChannelsByKind['teams']> = {}): ChannelsByKind['teams'] {
  return { ...common('office-teams'), kind: 'teams', ...changes };
}

export function aMailChannel(changes: Partial<ChannelsByKind['email']> = {}): ChannelsByKind['email'] {
  return {
    ...common('board-mail'),
    kind: 'email',
    from: 'bridge@example.org',
    to: ['board@example.org'],
    transport: 'ses',
    ...changes,
  };
}

function common(name: string) {
  return {
    name,
    queueUrl: `http://127.0.0.1:1/000000000000/${name}`,
    secretId: name,
    queueArn: `arn:aws:sqs:eu-west-1:000000000000:${name}`,
    timeZone: 'Europe/Amsterdam',
    delivery: 'immediate' as const,
  };
}
