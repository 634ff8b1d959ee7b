import { describe, expect, it } from 'vitest';
import { channelOf, readNotifierConfig } from '../../../../functions/consumers/notifier/config.ts';
import { aMailChannel, aSlackChannel } from './channels.ts';

function anEnvironment(channels: unknown, changes: Record<string, string> = {}): Record<string, string> {
  return { NOTIFIER_CHANNELS: JSON.stringify(channels), NOTIFIER_TABLE_NAME: 'sent', ...changes };
}

describe("the notifier's environment", () => {
  it('has the channels as written', () => {
    const channels = [
      aSlackChannel({ links: { member: 'https://app.example/contacts/{organisationMembershipId}' } }),
      aMailChannel({ transport: { smtpSecretId: 'smtp' }, nameField: '/member/name' }),
    ];

    const config = readNotifierConfig(anEnvironment(channels));

    expect(config).toEqual({ channels, tableName: 'sent', logLevel: 'INFO' });
  });

  it.each([
    ['no JSON', '[', 'NOTIFIER_CHANNELS: is not a list; write a list of channels'],
    ['no list', '{}', 'NOTIFIER_CHANNELS: is not a list; write a list of channels'],
    ['an unknown kind', '[{"kind":"pager"}]', 'NOTIFIER_CHANNELS[0].kind: has no kind'],
  ])('is refused when the channels are %s', (_what, text, problem) => {
    expect(() => readNotifierConfig({ NOTIFIER_CHANNELS: text, NOTIFIER_TABLE_NAME: 'sent' })).toThrow(problem);
  });

  it.each([
    ['a name with a capital', aSlackChannel({ name: 'Office' }), '[0].name: does not have the right form'],
    ['an unknown zone', aSlackChannel({ timeZone: 'Europe/Atlantis' }), '[0].timeZone: is not a time zone'],
    ['a link that is a script', aSlackChannel({ links: { member: 'javascript:{organisationMembershipId}' } }), 'https'],
    [
      'a link with the member as its host',
      aSlackChannel({ links: { member: 'https://{organisationMembershipId}/' } }),
      'in the name of the host',
    ],
    [
      'a link with credentials before the member',
      aSlackChannel({ links: { member: 'https://app@{organisationMembershipId}/' } }),
      'in the name of the host',
    ],
    [
      'a link without the member',
      aSlackChannel({ links: { member: 'https://app.example/' } }),
      'has no place for the member',
    ],
    ['two addresses in one', aMailChannel({ to: ['a@example.org, b@example.org'] }), '[0].to[0]: does not have'],
    [
      'a second header in an address',
      aMailChannel({ from: 'a@example.org\r\nBcc: b@example.org' }),
      '[0].from: does not',
    ],
    ['no recipient', aMailChannel({ to: [] }), '[0].to: is empty'],
    [
      'more recipients than SES allows',
      aMailChannel({ to: Array.from({ length: 51 }, () => 'a@example.org') }),
      'at most 50',
    ],
    ['no way to send', aMailChannel({ transport: {} as never }), '[0].transport: is not known'],
    [
      'an unknown setting',
      { ...aSlackChannel(), secretID: 'x' },
      '[0].secretID: is not known; did you mean "secretId"?',
    ],
  ])('is refused for %s', (_what, channel, problem) => {
    expect(() => readNotifierConfig(anEnvironment([channel]))).toThrow(problem);
  });

  it('is refused when two channels share a name or a queue', () => {
    const twice = anEnvironment([aSlackChannel(), aMailChannel({ name: aSlackChannel().name })]);
    const oneQueue = anEnvironment([aSlackChannel(), aMailChannel({ queueArn: aSlackChannel().queueArn })]);

    expect(() => readNotifierConfig(twice)).toThrow('[1].name: is that of another channel, too');
    expect(() => readNotifierConfig(oneQueue)).toThrow('[1].queueArn: is that of another channel, too');
  });

  it('is refused with every problem in one error', () => {
    const read = () => readNotifierConfig({ NOTIFIER_CHANNELS: '1', LOG_LEVEL: 'loud' });

    expect(read).toThrow(/NOTIFIER_CHANNELS.*\n.*NOTIFIER_TABLE_NAME.*\n.*LOG_LEVEL/);
    expect(read).toThrow(expect.objectContaining({ code: 'InvalidEnvironment' }));
  });
});

describe('the channel of an invocation', () => {
  const config = { channels: [aSlackChannel(), aMailChannel()], tableName: 'sent', logLevel: 'INFO' } as const;

  it('is found by the queue, and by its name', () => {
    expect(channelOf(config, { queueArn: aMailChannel().queueArn })).toEqual(aMailChannel());
    expect(channelOf(config, { name: aSlackChannel().name })).toEqual(aSlackChannel());
  });

  it('is named in the error if it is unknown', () => {
    expect(() => channelOf(config, { name: 'attic' })).toThrow('No channel of the notifier has the name attic');
  });
});
