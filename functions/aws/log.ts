// The log as Powertools writes it: one line of JSON for each message.
import { Logger } from '@aws-lambda-powertools/logger';
import { type Log, type LogFields, LOG_LEVELS, type LogLevel } from '../shared/log.ts';

/**
 * Creates the logs of a service: the function returned makes the log of one invocation, with `keys` in each line.
 * Lines below `logLevel` are left out here, because Powertools takes the level of Lambda's own filter where there is
 * one, and the poller's has to let metrics pass, which are lines of information.
 */
export function createLogs(serviceName: string, logLevel: LogLevel): (keys: LogFields) => Log {
  const logger = new Logger({ serviceName, logLevel });
  return (keys) => {
    const child = logger.createChild({ persistentKeys: keys });
    const writer =
      (level: LogLevel, write: 'debug' | 'info' | 'warn' | 'error'): Log['info'] =>
      (message, fields = {}) => {
        if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(logLevel)) child[write](message, fields);
      };
    return {
      debug: writer('DEBUG', 'debug'),
      info: writer('INFO', 'info'),
      warn: writer('WARN', 'warn'),
      error: writer('ERROR', 'error'),
    };
  };
}
