// What is printed when everything runs: what there is, where it is, and what to try.

type Running = {
  service: { url: string; organisationId: string; username: string; password: string; personality: { name: string } };
  endpointUrl: string;
  functions: readonly string[];
  everyMs: number;
  stateFolder: string;
  activityPerMinute: number;
};

export function localReport({
  service,
  endpointUrl,
  functions,
  everyMs,
  stateFolder,
  activityPerMinute,
}: Running): string[] {
  return [
    '',
    `membership service  ${service.url}  (${service.personality.name}, organisation ${service.organisationId}, ${activityPerMinute} actions a minute)`,
    `AWS                 ${endpointUrl}  (DynamoDB, EventBridge, Secrets Manager)`,
    ...functions.map((name) => `function            ${name}, every ${everyMs / 1000} s`),
    `state               ${stateFolder}  (events.ndjson, functions.log)`,
    '',
    'Create a contact, and see its event below:',
    '',
    ...createContactCommand(service),
    '',
    'Ctrl-C ends everything; the next start goes on from here.',
    '',
  ];
}

/** A command for a POSIX shell that fetches a token and creates a contact. */
export function createContactCommand({ url, organisationId, username, password }: Running['service']): string[] {
  const token = `curl -s ${url}/token -d grant_type=password --data-urlencode 'username=${username}' --data-urlencode 'password=${password}'`;
  return [
    `  TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${url}/organisations/${organisationId}/contacts -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"Ayşe Yılmaz"}'`,
  ];
}

export function sourceReport(running: {
  baseUrl: string;
  sourceId: string;
  endpointUrl: string;
  everyMs: number;
  stateFolder: string;
}): string[] {
  return [
    '',
    `membership service  ${running.baseUrl}  (source ${running.sourceId})`,
    `AWS                 ${running.endpointUrl}  (on this machine: DynamoDB, EventBridge, Secrets Manager)`,
    `polled every        ${running.everyMs / 1000} s`,
    `state               ${running.stateFolder}  (events.ndjson, functions.log)`,
    '',
    'Ctrl-C ends everything and tells what was learned.',
    '',
  ];
}
