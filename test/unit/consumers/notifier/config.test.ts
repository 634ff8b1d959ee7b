import { describe, expect, it } from 'vitest';
import { channelOf, readNotifierConfig } from '../../../../functions/consumers/notifier/config.ts';
import { aMailChannel, aSlackChannel } from './channels.ts';

const ENVIRONMENT = {
  NOTIFIER_QUEUES: 'Stack-office-1a,Stack-board-2b',
  NOTIFIER_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/000000000000/Stack-office-1a',
  NOTIFIER_QUEUE_ARN: 'arn:aws:sqs:eu-west-1:000000000000:Stack-office-1a',
  NOTIFIER_TABLE_NAME: 'sent',
};

const OFFICE = { name: 'office', kind: 'slack', timeZone: 'Europe/Amsterdam', delivery: 'immediate' } as const;
const BOARD = {
  ...OFFICE,
  name: 'board',
  kind: 'email',
  from: 'bridge@example.org',
  to: ['board@example.org'],
  transport: 'ses',
} as const;

/** Reads these channels, written beside the code. */
const read = (channels: unknown, changes: Record<string, string> = {}) =>
  readNotifierConfig({ ...ENVIRONMENT, ...changes }, JSON.stringify(channels));
const withSlack = (changes: object) => ({ ...OFFICE, ...changes });
const withMail = (changes: object) => ({ ...BOARD, ...changes });

describe("the notifier's configuration", () => {
  it('has each channel with its queue, and with its secret, which is named after the queue', () => {
    const links = { member: 'https://app.example/contacts/{organisationMembershipId}' };
    const written = [withSlack({ links }), withMail({ transport: 'smtp', nameField: '/member/name' })];

    expect(read(written)).toEqual({
      channels: [
        {
          ...OFFICE,
          links,
          queueUrl: 'https://sqs.eu-west-1.amazonaws.com/000000000000/Stack-office-1a',
          queueArn: 'arn:aws:sqs:eu-west-1:000000000000:Stack-office-1a',
          secretId: 'Stack-office-1a',
        },
        {
          ...BOARD,
          nameField: '/member/name',
          queueUrl: 'https://sqs.eu-west-1.amazonaws.com/000000000000/Stack-board-2b',
          queueArn: 'arn:aws:sqs:eu-west-1:000000000000:Stack-board-2b',
          transport: 'smtp',
          secretId: 'Stack-board-2b',
        },
      ],
      tableName: 'sent',
      logLevel: 'INFO',
    });
  });

  it('has the wording of a channel as it is written', () => {
    const wording = {
      locale: 'pl',
      digestOn: 'Friday',
      actionKeys: ['Contact*', '!*Exported'],
      show: [{ label: 'Kwota', field: '/amount' }],
      phrases: {
        ContactCreated: '{name} dołącza',
        PaymentCreated: { text: '{name}: płatność', few: 'x', other: '{count} y' },
      },
      words: { member: 'Członek', changes: { one: '{count} zmiana', other: '{count} zmian' } },
    };

    expect(read([withSlack(wording)]).channels).toMatchObject([wording]);
  });

  it.each([
    ['no JSON', '[', '(the whole): is not a list; write a list of channels'],
    ['no list', '{}', '(the whole): is not a list; write a list of channels'],
    ['an unknown kind', '[{"kind":"pager"}]', '[0].kind: is missing or not known; write "slack", "teams" or "email"'],
    ['a text', '["office"]', '[0]'],
  ])('is refused when the channels are %s', (_what, text, problem) => {
    expect(() => readNotifierConfig(ENVIRONMENT, text)).toThrow(problem);
  });

  it('is refused when a channel has no queue', () => {
    expect(() => read([OFFICE, BOARD, { ...BOARD, name: 'club' }])).toThrow('[2].queueUrl: is empty');
  });

  it.each([
    [{ each: 'elk' }, '[0].words.each: has no {items}; write one line of 1 to 100 characters with {items} in it'],
    [{ memberWithId: 'Lid' }, '[0].words.memberWithId: has no {id}; write one line'],
  ])('is refused when a word loses what it is said of: %j', (words, problem) => {
    expect(() => read([withSlack({ words })])).toThrow(problem);
  });

  it.each([
    ['a name with a capital', withSlack({ name: 'Office' }), '[0].name: does not have the right form'],
    ['an unknown zone', withSlack({ timeZone: 'Europe/Atlantis' }), '[0].timeZone: is not a time zone'],
    ['a link that is a script', withSlack({ links: { member: 'javascript:{organisationMembershipId}' } }), 'https'],
    [
      'a link with the member as its host',
      withSlack({ links: { member: 'https://{organisationMembershipId}/' } }),
      'in the name of the host',
    ],
    [
      'a link with credentials before the member',
      withSlack({ links: { member: 'https://app@{organisationMembershipId}/' } }),
      'in the name of the host',
    ],
    [
      'a link without the member',
      withSlack({ links: { member: 'https://app.example/' } }),
      'has no place for the member',
    ],
    ['two addresses in one', withMail({ to: ['a@example.org, b@example.org'] }), '[0].to[0]: does not have'],
    ['a second header in an address', withMail({ from: 'a@example.org\r\nBcc: b@example.org' }), '[0].from: does not'],
    ['no recipient', withMail({ to: [] }), '[0].to: is empty'],
    [
      'more recipients than SES allows',
      withMail({ to: Array.from({ length: 51 }, () => 'a@example.org') }),
      'at most 50',
    ],
    [
      'a header in the address for no more mails',
      withMail({ unsubscribe: 'https://example.org/\r\nBcc: b@example.org' }),
      '[0].unsubscribe: has characters that a header may not have, or too many; write an https address, or mailto:',
    ],
    [
      'a second address in it',
      withMail({ unsubscribe: 'https://example.org/>,<mailto:b@example.org' }),
      '[0].unsubscribe',
    ],
    ['one that is a script', withMail({ unsubscribe: 'javascript:alert(1)' }), '[0].unsubscribe: is no such address'],
    ['one over http', withMail({ unsubscribe: 'http://example.org/' }), '[0].unsubscribe: is no such address'],
    [
      'one with headers of its own',
      withMail({ unsubscribe: 'mailto:a@b.example?bcc=c@d.example' }),
      'is no such address',
    ],
    ['one that is too long', withMail({ unsubscribe: `https://example.org/${'x'.repeat(500)}` }), 'or too many'],
    ['no way to send', withMail({ transport: {} }), '[0].transport: is of type object; write one of ses, smtp'],
    ['an unknown day', withSlack({ digestOn: 'monday' }), '[0].digestOn: is not known; write one of Monday, Tuesday'],
    ['an unknown locale', withSlack({ locale: 'klingon-1' }), '[0].locale: is not a locale that this runtime knows'],
    [
      'a wildcard with two signs',
      withSlack({ actionKeys: ['!!a'] }),
      '[0].actionKeys[0]: does not have the right form',
    ],
    ['no wildcard', withSlack({ actionKeys: [] }), '[0].actionKeys: is empty; leave it out for all action keys'],
    ['51 wildcards', withSlack({ actionKeys: Array.from({ length: 51 }, () => 'a') }), 'write at most 50 wildcards'],
    [
      'a field without a label',
      withSlack({ show: [{ field: '/a' }] }),
      '[0].show[0].label: is missing; write one line',
    ],
    [
      'a field that is no pointer',
      withSlack({ show: [{ label: 'A', field: 'a' }] }),
      '[0].show[0].field: does not have',
    ],
    [
      'eleven fields',
      withSlack({ show: Array.from({ length: 11 }, () => ({ label: 'A', field: '/a' })) }),
      '[0].show: is too long; write at most 10 fields',
    ],
    ['an empty phrase', withSlack({ phrases: { A: '' } }), '[0].phrases.A: is no phrase; write a text such as'],
    [
      'a phrase with another name in braces',
      withSlack({ phrases: { A: '{naam} joined' } }),
      '[0].phrases.A: is no phrase',
    ],
    ['a count in a text', withSlack({ phrases: { A: { text: '{count} a' } } }), '[0].phrases.A: is no phrase'],
    [
      'a word with another name in braces',
      withSlack({ words: { each: 'elk {items} {dingen}' } }),
      '[0].words.each: has something in braces that nothing replaces; write one line of 1 to 100 characters with {items}',
    ],
    [
      'a word without a number with one in braces',
      withSlack({ words: { member: '{count} leden' } }),
      '[0].words.member: has something in braces that nothing replaces; write one line of 1 to 100 characters',
    ],
    ['a phrase of two lines', withSlack({ phrases: { A: 'a\nb' } }), '[0].phrases.A: is no phrase'],
    ['a long phrase', withSlack({ phrases: { A: 'a'.repeat(101) } }), '[0].phrases.A: is no phrase'],
    [
      'an unknown plural',
      withSlack({ phrases: { A: { text: 'a', plural: 'b' } } }),
      '[0].phrases.A.plural: is not known',
    ],
    [
      'a count without a number',
      withSlack({ phrases: { A: { text: 'a', other: 'b' } } }),
      '[0].phrases.A: is no phrase',
    ],
    [
      '201 phrases',
      withSlack({ phrases: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`A${index}`, 'a'])) }),
      '[0].phrases: has too many phrases; write at most 200',
    ],
    [
      'an unknown word',
      withSlack({ words: { chnges: 'a' } }),
      '[0].words.chnges: is not known; did you mean "changes"?',
    ],
    [
      'a word without its number',
      withSlack({ words: { more: { other: 'a' } } }),
      '[0].words.more.other: has no {count}',
    ],
    ['an unknown setting', withSlack({ secretID: 'x' }), '[0].secretID: is not known; did you mean "secretId"?'],
  ])('is refused for %s', (_what, channel, problem) => {
    expect(() => read([channel])).toThrow(problem);
  });

  it.each(['https://example.org/stop?c=board', 'mailto:office@example.org', 'mailto:office@example.org?subject=Stop'])(
    'takes %s as the address for no more mails',
    (unsubscribe) => {
      expect(read([withMail({ unsubscribe })]).channels).toMatchObject([{ unsubscribe }]);
    },
  );

  it('is refused when two channels share a name or a queue', () => {
    const oneQueue = { NOTIFIER_QUEUES: 'Stack-office-1a,Stack-office-1a' };

    expect(() => read([OFFICE, withMail({ name: OFFICE.name })])).toThrow('[1].name: is that of another channel, too');
    expect(() => read([OFFICE, BOARD], oneQueue)).toThrow('[1].queueArn: is that of another channel, too');
  });

  it('is refused with every problem of the environment in one error', () => {
    const reading = () => readNotifierConfig({ LOG_LEVEL: 'loud' }, '[]');

    expect(reading).toThrow(
      /NOTIFIER_QUEUES.*\n.*NOTIFIER_QUEUE_URL.*\n.*_ARN.*\n.*NOTIFIER_TABLE_NAME.*\n.*LOG_LEVEL/,
    );
    expect(reading).toThrow(expect.objectContaining({ code: 'InvalidEnvironment' }));
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
