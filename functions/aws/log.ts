// The log as Powertools writes it: one line of JSON for each message.
import { Logger } from '@aws-lambda-powertools/logger';
import type { Log, LogFields, LogLevel } from '../shared/log.ts';

/** Creates the logs of a service: the function returned makes the log of one invocation, with `keys` in each line. */
export function createLogs(serviceName: string, logLevel: LogLevel): (keys: LogFields) => Log {
  const logger = new Logger({ serviceName, logLevel });
  return (keys) => {
    const child = logger.createChild({ persistentKeys: keys });
    return {
      debug: (message, fields = {}) => child.debug(message, fields),
      info: (message, fields = {}) => child.info(message, fields),
      warn: (message, fields = {}) => child.warn(message, fields),
      error: (message, fields = {}) => child.error(message, fields),
    };
  };
}
