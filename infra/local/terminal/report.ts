// What is printed when everything runs: what there is, where it is, and what to try.
import { watchedAlarmLines } from '../cloudwatch/alarm-lines.ts';
import type { AlarmDefinition } from '../cloudwatch/alarm-definition.ts';
import { channelsOf } from '../run/channels.ts';
import type { Definitions } from '../cloudformation/resources.ts';
import { newContactBody } from '../../membership-service/records/examples.ts';
import type { Personality } from '../../membership-service/personality/personality.ts';
import type { RunningFunction } from '../lambda/running-functions.ts';

type Running = {
  service: {
    url: string;
    organisationId: string;
    username: string;
    password: string;
    personality: Pick<Personality, 'name' | 'records'>;
  };
  endpointUrl: string;
  running: readonly RunningFunction[];
  definitions: { alarms: readonly AlarmDefinition[] } & Pick<Definitions, 'functions' | 'buckets'>;
  everyMs: number;
  stateFolder: string;
  activityPerMinute: number;
};

export function localReport({
  service,
  endpointUrl,
  running,
  definitions,
  everyMs,
  stateFolder,
  activityPerMinute,
}: Running): string[] {
  return [
    '',
    `membership service  ${service.url}  (${service.personality.name}, organisation ${service.organisationId}, ${activityPerMinute} actions a minute)`,
    `AWS                 ${endpointUrl}  (DynamoDB, EventBridge, Firehose, S3, Secrets Manager, SES, SQS)`,
    ...functionLines(running, everyMs),
    ...outboxLines(endpointUrl, definitions),
    ...auditLines({ endpointUrl, stateFolder }, definitions),
    ...watchedAlarmLines(definitions.alarms, everyMs),
    `state               ${stateFolder}  (events.ndjson, functions.log)`,
    '',
    'Create a contact, and see its event below:',
    '',
    ...createContactCommand(service),
    '',
    'Ctrl-C stops everything; the next start continues from here.',
    '',
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
export function outboxLines(endpointUrl: string, definitions: Pick<Definitions, 'functions'>): string[] {
  const names = channelsOf(definitions).map(({ name }) => name);
  return names.length === 0 ? [] : [`outbox              ${endpointUrl}/outbox  (${names.join(', ')})`];
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
export function auditLines(
  { endpointUrl, stateFolder }: { endpointUrl: string; stateFolder: string },
  { buckets }: Pick<Definitions, 'buckets'>,
): string[] {
  return buckets.map(({ name }) => `audit               ${endpointUrl}/audit  (${stateFolder}/buckets/${name})`);
}

export function sourceReport(running: {
  baseUrl: string;
  sourceId: string;
  endpointUrl: string;
  running: readonly RunningFunction[];
  definitions: { alarms: readonly AlarmDefinition[] } & Pick<Definitions, 'functions' | 'buckets'>;
  everyMs: number;
  stateFolder: string;
}): string[] {
  return [
    '',
    `membership service  ${running.baseUrl}  (source ${running.sourceId})`,
    `AWS                 ${running.endpointUrl}  (on this machine: DynamoDB, EventBridge, Firehose, S3, Secrets Manager, SES, SQS)`,
    ...functionLines(running.running, running.everyMs),
    ...outboxLines(running.endpointUrl, running.definitions),
    ...auditLines(running, running.definitions),
    ...watchedAlarmLines(running.definitions.alarms, running.everyMs),
    `state               ${running.stateFolder}  (events.ndjson, functions.log)`,
    '',
    'Ctrl-C stops everything and shows what was learned.',
    '',
  ];
}
