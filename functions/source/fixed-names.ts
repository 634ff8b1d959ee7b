// Names that are the same after each deployment of an environment, so that what commands have made goes on: schedules
// name their group, role and function by them. All begin with the name of the stack with the poller.

/** The alias that callers invoke. */
export const LIVE = 'live';

/** The tag of a secret that the functions of an environment may read; its value is the name of the poller's stack. */
export const SECRET_TAG = 'membership-event-bridge';

/** The tag of a secret of cdk.json by which it is found; its value is the logical id. */
export const LOGICAL_ID_TAG = 'membership-event-bridge-logical-id';

/** The group of the schedules; a schedule has the name of its source. */
export function scheduleGroupName(stackName: string): string {
  return `${stackName}-sources`;
}

/** The role of the schedules. Names of roles are of the account, so the region is a part of it. */
export function scheduleRoleName(stackName: string, region: string): string {
  return `${stackName}-schedules-${region}`;
}

/** The poller's function. */
export function pollerName(stackName: string): string {
  return `${stackName}-poller`;
}

/** The secret that a command makes for a source that it adds. */
export function madeSecretName(stackName: string, sourceId: string): string {
  return `${stackName}/sources/${sourceId}`;
}

/** What follows the name of the poller's stack in that of the stack with the secrets. */
export const DATA = '-Data';

/** The poller's stack, by the stack with the secrets. */
export function bridgeOf(dataStackName: string): string {
  return dataStackName.endsWith(DATA) ? dataStackName.slice(0, -DATA.length) : dataStackName;
}

/**
 * How the settings of a source of cdk.json name its secret, whose name CloudFormation makes: by the stack and the
 * logical id that it is made from. No name and no ARN of a secret has one colon.
 */
export function secretOfStack(dataStackName: string, logicalId: string): string {
  return `${dataStackName}:${logicalId}`;
}

/** The two parts of a name made by `secretOfStack`; null for any other name or ARN. */
export function stackSecretIn(secretId: string): { stackName: string; logicalId: string } | null {
  const [, stackName = '', logicalId = ''] = /^([^:]+):([^:]+)$/.exec(secretId) ?? [];
  return logicalId === '' ? null : { stackName, logicalId };
}

/** Outputs of the poller's stack: settings of cdk.json that commands obey. */
export const RULES = { capacity: 'Capacity', changesByCommand: 'ChangesByCommand', ticks: 'Ticks' } as const;
