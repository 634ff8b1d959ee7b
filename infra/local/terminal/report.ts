// What is printed when everything runs: what there is, where it is, and what to try.
import { watchedAlarmLines } from '../cloudwatch/alarm-lines.ts';
import type { AlarmDefinition } from '../cloudwatch/alarm-definition.ts';
import { awsCommand } from '../run/aws-environment.ts';
import { channelsOf } from '../run/channels.ts';
import type { Definitions } from '../cloudformation/resources.ts';
import { newContactBody } from '../../membership-service/records/examples.ts';
import type { Personality } from '../../membership-service/personality/personality.ts';
import type { LocalCloud } from '../cloud/cloud.ts';
import type { RunningFunction } from '../lambda/running-functions.ts';

type Running = {
  service: {
    url: string;
    organisationId: string;
    username: string;
    password: string;
    personality: Pick<Personality, 'name' | 'records'>;
  };
  activityPerMinute: number;
  sourceId: string;
  demo: boolean;
} & RunningCloud;

type RunningCloud = Pick<LocalCloud, 'endpointUrl' | 'pageUrl'> & {
  running: readonly RunningFunction[];
  definitions: { alarms: readonly AlarmDefinition[] } & Pick<Definitions, 'functions' | 'buckets'>;
  everyMs: number;
  stateFolder: string;
};

export function localReport({ service, activityPerMinute, sourceId, demo, ...cloud }: Running): string[] {
  return [
    '',
    `membership service  ${service.url}  (${service.personality.name}, organisation ${service.organisationId}, ${activityPerMinute} actions a minute)`,
    ...cloudLines(cloud),
    '',
    'Create a contact, and see its event below:',
    '',
    ...createContactCommand(service),
    '',
    ...(demo ? verifyLines(cloud, sourceId) : []),
    'Ctrl-C stops everything; the next start continues from here.',
    '',
  ];
}

/** What runs on this machine instead of on AWS, and where. */
function cloudLines({ endpointUrl, pageUrl, running, definitions, everyMs, stateFolder }: RunningCloud): string[] {
  return [
    `AWS                 ${endpointUrl}  (DynamoDB, EventBridge, Firehose, S3, Secrets Manager, SES, SQS)`,
    `aws CLI             ${awsCommand(`${stateFolder}/aws.env`)}`,
    ...functionLines(running, everyMs),
    ...outboxLines(pageUrl, definitions),
    ...auditLines({ pageUrl, stateFolder }, definitions),
    ...watchedAlarmLines(definitions.alarms, everyMs),
    `state               ${stateFolder}  (events.ndjson, functions.log)`,
  ];
}

/** Each function by its short name: scheduled ones with their interval, consumers with the events they listen to. */
export function functionLines(functions: readonly RunningFunction[], everyMs: number): string[] {
  return functions.map(({ kind, shortName, listensTo }) => {
    if (kind === 'consumer') return `consumer            ${shortName}  on ${listensTo.join(' and ')}`;
    return `function            ${shortName}${kind === 'scheduled' ? `  every ${everyMs / 1000} s` : ''}`;
  });
}

/** Where to see what would be sent to people; nothing without channels. */
function outboxLines(pageUrl: LocalCloud['pageUrl'], definitions: Pick<Definitions, 'functions'>): string[] {
  const names = channelsOf(definitions).map(({ name }) => name);
  return names.length === 0 ? [] : [`outbox              ${pageUrl('outbox')}  (${names.join(', ')})`];
}

/** A POSIX shell command that fetches a token and creates a contact. */
export function createContactCommand({
  url,
  organisationId,
  username,
  password,
  personality,
}: Running['service']): string[] {
  const token = `curl -s ${url}/token -d grant_type=password --data-urlencode 'username=${username}' --data-urlencode 'password=${password}'`;
  return [
    `  TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/organisations/${organisationId}/contacts -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${newContactBody(personality, 'Ayşe Yılmaz')}'`,
  ];
}

/** Where to see the audit copy, and its folder; nothing without one. */
function auditLines(
  { pageUrl, stateFolder }: Pick<RunningCloud, 'pageUrl' | 'stateFolder'>,
  { buckets }: Pick<Definitions, 'buckets'>,
): string[] {
  return buckets.map(({ name }) => `audit               ${pageUrl('audit')}  (${stateFolder}/buckets/${name})`);
}

/** The command that verifies what is sealed of the audit copy. */
function verifyLines({ stateFolder, definitions }: RunningCloud, sourceId: string): string[] {
  return definitions.buckets.flatMap(({ name }) => [
    'Ten days of history are read, and those that are over for 36 hours are sealed. Verify the audit copy:',
    '',
    `  npx membership-bridge audit verify --folder ${stateFolder}/buckets/${name} --source ${sourceId}`,
    '',
  ]);
}

export function sourceReport({
  baseUrl,
  sourceId,
  ...cloud
}: RunningCloud & { baseUrl: string; sourceId: string }): string[] {
  return [
    '',
    `membership service  ${baseUrl}  (source ${sourceId})`,
    ...cloudLines(cloud),
    '',
    'Ctrl-C stops everything and shows what was learned.',
    '',
  ];
}
