// The operations of Scheduler's REST interface, with their parameters from path, query and body.
import type { Call, HttpRequest } from '../platform/aws-call.ts';

const OPERATIONS: Readonly<Record<string, string>> = {
  'GET schedules': 'ListSchedules',
  'GET schedules/Name': 'GetSchedule',
  'POST schedules/Name': 'CreateSchedule',
  'PUT schedules/Name': 'UpdateSchedule',
  'DELETE schedules/Name': 'DeleteSchedule',
  'GET schedule-groups': 'ListScheduleGroups',
  'GET schedule-groups/Name': 'GetScheduleGroup',
};

/** Where the query has another name than the input. */
const QUERY_NAMES: Readonly<Record<string, string>> = {
  ScheduleGroup: 'GroupName',
  groupName: 'GroupName',
  clientToken: 'ClientToken',
};

/** Null for any other request. */
export function schedulerOperationOf(request: HttpRequest, body: string): Call | null {
  const { pathname, searchParams } = new URL(request.path, 'http://localhost');
  const [, kind = '', name] = /^\/([\w-]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  const operation = OPERATIONS[`${request.method} ${kind}${name === undefined ? '' : '/Name'}`];
  if (operation === undefined) return null;
  const input = {
    ...(JSON.parse(body === '' ? '{}' : body) as object),
    ...Object.fromEntries([...searchParams].map(([key, value]) => [QUERY_NAMES[key] ?? key, value])),
    ...(name === undefined ? {} : { Name: decodeURIComponent(name) }),
  };
  return { service: 'scheduler', operation, body: JSON.stringify(input), request };
}
