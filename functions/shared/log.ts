// The log as a port. Fields are structured. A line never holds a secret, a token or a continuation.

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

const ignore = (): void => {};

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
