// What the command prints when the service is ready: addresses, users, and a first request to try.
import type { CommandOptions } from './command-options.ts';
import type { MembershipService } from '../service.ts';

type Circumstances = { adminUrl: string; options: CommandOptions; isNew: boolean };

export function greeting(service: MembershipService, { adminUrl, options, isNew }: Circumstances): string[] {
  const { url, personality } = service;
  return [
    `membership service  ${url}  (${personality.name}, ${options.perMinute} actions a minute)`,
    ...organisationLines(service),
    ...userLines(service),
    `admin port          ${adminUrl}  (faults, personality, entries)`,
    `state               ${stateText(options.state, isNew)}`,
    '',
    'Read the action log:',
    '',
    ...logCommand(service),
    '',
    'Break something, and repair it:',
    '',
    `  curl -s -X PUT ${adminUrl}/faults -d '{"errorRate":0.5}'`,
    `  curl -s -X PUT ${adminUrl}/faults -d '{}'`,
    '',
    'All operations, faults and personalities: docs/membership-service-reference.md. Ctrl-C stops it.',
  ];
}

function organisationLines({ organisations }: MembershipService): string[] {
  return organisations.map(({ id, name, subscription }) => `organisation        ${id}  (${name}, ${subscription})`);
}

/** Aligned by the longest name, so that passwords are in one column. */
function userLines({ users, organisationId }: MembershipService): string[] {
  const width = Math.max(...users.map(({ username }) => username.length));
  return users.map(({ username, password, role, organisationIds }) => {
    const others = organisationIds.some((id) => id !== organisationId) ? ', both organisations' : '';
    return `user                ${username.padEnd(width)}  password ${password}  (${role}${others})`;
  });
}

function stateText(file: string | null, isNew: boolean): string {
  if (file === null) return 'in memory';
  return `${file}  (${isNew ? 'new' : 'continued'})`;
}

/** A POSIX shell command that fetches a token and reads a page. */
function logCommand({ url, username, password }: MembershipService): string[] {
  const login = `-d grant_type=password --data-urlencode 'username=${username}' --data-urlencode 'password=${password}'`;
  return [
    `  TOKEN=$(curl -s ${url}/token ${login} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s '${url}/app/actionlogs?pageSize=3' -H "Authorization: Bearer $TOKEN"`,
  ];
}
