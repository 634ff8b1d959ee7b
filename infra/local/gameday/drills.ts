// How each alarm is brought about on one machine, what the operator does about it, and what ends it.
import { SOURCE, type World } from './world.ts';

type Act = (world: World) => unknown;

/**
 * A command of the operator, without `npx membership-bridge`, or what else has to happen, with its sentence. `<letter>`
 * and `<entry>` stand for the first one that is listed, `<from>` and `<to>` for the time since the drill began.
 */
export type Step = string | readonly [says: string, repair: Act];

/** `alarms` are those that it brings about, without the name of the stack. */
export type Drill = { alarms: readonly string[]; cause: string; begin: Act; steps: readonly Step[] };

const DAY_MS = 86_400_000;

const passwordFaults = (areOn: boolean) => ({ refuseLogin: areOn, refuseTokens: areOn });

const slowly = { maxRequestsPerMinute: 10, pageSize: 5 };
const fast = { maxRequestsPerMinute: 600, pageSize: undefined };

export const DRILLS: readonly Drill[] = [
  {
    alarms: [`${SOURCE}: no successful poll`],
    cause: 'The membership service answers 503 to everything.',
    begin: ({ service }) => Object.assign(service.faults, { unavailable: true }),
    steps: [
      'status',
      `logs ${SOURCE}`,
      ['The service answers again.', ({ service }) => Object.assign(service.faults, { unavailable: false })],
    ],
  },
  {
    alarms: ['poller: credentials refused'],
    cause: 'Somebody changes the password: the service refuses the old one, and the tokens that were issued for it.',
    begin: ({ service }) => Object.assign(service.faults, passwordFaults(true)),
    steps: [
      'status',
      ['The operator gets the new password.', ({ service }) => Object.assign(service.faults, passwordFaults(false))],
      `credentials set ${SOURCE} --yes`,
    ],
  },
  {
    alarms: ['poller: entries in quarantine'],
    cause: 'The bus refuses an entry for good: it calls its detail malformed.',
    begin: ({ faults, service }) => {
      faults.add('the bus');
      service.write({ actionKey: 'AdminLoggedIn' });
    },
    steps: [
      'quarantine list',
      `quarantine show ${SOURCE} <entry>`,
      ['The bus takes the entry again.', ({ faults }) => faults.delete('the bus')],
      `quarantine redrive ${SOURCE} --yes`,
    ],
  },
  {
    alarms: ['poller: gap detected'],
    cause:
      'The bridge was off for 20 days, longer than its ledger remembers. (Its stored state is made 20 days older.)',
    begin: async (world) => await world.age(20 * DAY_MS),
    steps: ['gaps', `backfill ${SOURCE} --from P20D --dry-run`],
  },
  {
    alarms: ['poller: sweep open for a day'],
    cause: 'The bridge was off for two days, and may read only ten pages a minute, each of five entries.',
    begin: async (world) => {
      Object.assign(world.settings, slowly);
      await world.age(2 * DAY_MS);
    },
    steps: [
      `status ${SOURCE}`,
      ['The operator raises maxRequestsPerMinute, and deploys.', ({ settings }) => Object.assign(settings, fast)],
    ],
  },
  withoutTable('member-change', 'MemberChange', 'A contact changes.', {
    begin: ({ service }) => service.perform('ContactUpdated'),
    look: ['dead-letters list', 'dead-letters show member-change <letter>', 'logs member-change'],
    end: 'dead-letters redrive member-change --yes',
  }),
  closed('notifier office', 'ChannelofficeQueue', ['dead-letters redrive "notifier office" --yes']),
  closed('notifier board', 'ChannelboardQueue', ['dead-letters redrive "notifier board" --yes']),
  withoutTable('notifier', 'Notifier', 'The digest of the channel board is due.', {
    begin: async ({ cloud, service }) => {
      service.perform('ContactUpdated');
      const { functionName, qualifier, input } = cloud.definitions.schedules.find(({ cron }) => cron !== null) ?? {};
      const invoked = { FunctionName: functionName, Qualifier: qualifier, Payload: input };
      await cloud.call('lambda', 'Invoke', { ...invoked, InvocationType: 'Event' });
    },
    look: ['dead-letters list notifier', 'logs notifier'],
    end: 'dead-letters purge notifier --yes',
  }),
  closed('event log', '/aws/events/', replayed('event log')),
  closed('audit copy', 'AuditCopyStream', replayed('audit copy')),
  withoutTable('audit keeper', 'AuditKeeper', 'An entry comes that is too large for the bus.', {
    alarms: ['poller: entries in quarantine'],
    begin: ({ service }) => service.write({ actionKey: 'ContactUpdated', details: { notes: 'x'.repeat(1_100_000) } }),
    look: ['dead-letters list "audit keeper"', 'logs "audit keeper"', 'quarantine list'],
    end: 'dead-letters redrive "audit keeper" --yes',
  }),
  {
    alarms: ['audit copy: not written'],
    cause: 'Somebody changes the policy of the audit bucket: the stream cannot write into it. A contact changes.',
    begin: ({ cloud, service }) => {
      for (const stream of cloud.streams.all()) stream.refuse(true);
      service.perform('ContactUpdated');
    },
    steps: [
      'status',
      [
        'The operator restores the policy of the bucket.',
        ({ cloud }) => cloud.streams.all().forEach((stream) => stream.refuse(false)),
      ],
    ],
  },
  withoutTable('audit sealer', 'AuditSealer', 'Its hour comes.', {
    alarms: ['audit sealer: failing'],
    begin: () => {},
    look: ['logs "audit sealer"', 'dead-letters list "audit sealer"'],
    end: 'dead-letters purge "audit sealer" --yes',
  }),
];

/** Alarms that one machine cannot bring about. */
export const NOT_HERE: readonly { alarm: string; reason: string }[] = [
  {
    alarm: '<API destination>: dead letters',
    reason: 'EventBridge itself posts to such a receiver, and a run on this machine posts nothing to anybody.',
  },
];

/** A function that fails at what `event` says, because it may not use its table any more. */
function withoutTable(
  owner: string,
  functionPart: string,
  event: string,
  { alarms = [], begin, look, end }: { alarms?: string[]; begin: Act; look: string[]; end: string },
): Drill {
  return {
    alarms: [`${owner}: dead letters`, ...alarms],
    cause: `Somebody takes away the permission of ${owner} on its DynamoDB table. ${event}`,
    begin: async (world) => {
      world.faults.add(`table of ${functionPart}`);
      await begin(world);
    },
    steps: [
      ...look,
      [
        'The operator gives it the permission again, and deploys.',
        ({ faults }) => faults.delete(`table of ${functionPart}`),
      ],
      end,
    ],
  };
}

/** A target of a rule that refuses events: AWS puts them into its dead-letter queue at once. */
function closed(owner: string, targetPart: string, last: readonly string[]): Drill {
  return {
    alarms: [`${owner}: dead letters`],
    cause: `Somebody takes away EventBridge's permission to deliver to ${owner}. A contact changes.`,
    begin: ({ faults, service }) => {
      faults.add(`target ${targetPart}`);
      service.perform('ContactUpdated');
    },
    steps: [
      `dead-letters list "${owner}"`,
      ['The operator restores the permission.', ({ faults }) => faults.delete(`target ${targetPart}`)],
      ...last,
    ],
  };
}

function replayed(owner: string): string[] {
  const replay = `events replay --from <from> --to <to> --to-consumer "${owner}" --yes`;
  return [replay, `dead-letters purge "${owner}" --yes`];
}
