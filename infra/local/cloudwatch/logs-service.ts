// CloudWatch Logs as the local cloud opens it: what functions write, and what rules write to log groups.
import { join } from 'node:path';
import { jsonOperations, type LocalService } from '../platform/service.ts';
import { type FunctionLog, openFunctionLog } from './function-log.ts';
import { type LocalLogGroups, type LogGroupDefinition, openLogGroups } from './log-groups.ts';
import { createLogs } from './logs.ts';

/** In the state folder. */
const FUNCTION_LOG = 'functions.log';

type World = {
  stateFolder: string;
  definitions: {
    functions: readonly { name: string; logGroup: string }[];
    logGroups: readonly LogGroupDefinition[];
  };
};

export type Logs = { functionLog: FunctionLog; logGroups: LocalLogGroups };

export function logsService({ stateFolder, definitions }: World): LocalService<Logs> {
  const { functions, logGroups: groups } = definitions;
  const logGroups = openLogGroups(join(stateFolder, 'logs'), groups);
  const functionLog = openFunctionLog(join(stateFolder, FUNCTION_LOG));
  return {
    operations: jsonOperations(createLogs({ functions, groups, functionLog, logGroups })),
    resources: { functionLog, logGroups },
    close: () => {
      functionLog.close();
      logGroups.close();
    },
  };
}
