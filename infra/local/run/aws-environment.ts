// How people call the local AWS with the aws CLI or an SDK: a file for a shell, and a command that uses it.
import { LOCAL_PLACE } from '../cloudformation/template.ts';

/** Lines for a POSIX shell. The user's own profile and session do not belong to the local AWS. */
export function awsEnvironment({ endpointUrl, accessKeyId }: { endpointUrl: string; accessKeyId: string }): string {
  const variables = {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: LOCAL_PLACE.region,
    AWS_DEFAULT_REGION: LOCAL_PLACE.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`);
  return ['unset AWS_PROFILE AWS_SESSION_TOKEN', ...exports, ''].join('\n');
}

/** In parentheses, so that the variables end with the command and never lead a later one astray. */
export function awsCommand(file: string): string {
  return `(. ${shellPath(file)} && aws dynamodb list-tables)`;
}

/** A path as a POSIX shell reads it. */
export function shellPath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
