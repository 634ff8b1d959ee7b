// An AWS service of this machine, as the local cloud opens it, asks it and closes it.
import { type Answer, AwsRefusal, type HttpRequest, type Operation, refusalAnswer } from './aws-call.ts';

/** Answers one call. */
export type AnswerCall = (body: string, request?: HttpRequest) => Answer | Promise<Answer>;

export type LocalService<Resources = unknown> = {
  /** By name: all that it answers. */
  operations: Readonly<Record<string, AnswerCall>>;
  /** What it has of the template, for the services opened after it, the commands and the tests. */
  resources: Resources;
  /** Continues what earlier runs left. */
  resume?: () => void;
  /** Starts nothing new and ends its processes. The next run continues unfinished work. */
  stop?: () => void | Promise<void>;
  /** Closes its files. Nobody calls it any more. */
  close: () => void | Promise<void>;
};

/** For services that keep nothing open. */
export const NOTHING_TO_CLOSE = (): void => {};

/**
 * Operations that take and return parsed JSON. A refusal becomes an answer in AWS's words, with the status of its type
 * in `statuses`, else 400.
 */
export function jsonOperations(
  operations: Readonly<Record<string, Operation>>,
  statuses: Readonly<Record<string, number>> = {},
): Record<string, AnswerCall> {
  const entries = Object.entries(operations);
  return Object.fromEntries(entries.map(([name, operate]) => [name, jsonOperation(operate, statuses)]));
}

function jsonOperation(operate: Operation, statuses: Readonly<Record<string, number>>): AnswerCall {
  return async (body, request) => {
    try {
      const output = await operate(JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>, request);
      return { status: 200, body: JSON.stringify(output) };
    } catch (error) {
      if (!(error instanceof AwsRefusal)) throw error;
      const { type, message, headers } = error;
      return { ...refusalAnswer(type, message, headers), status: statuses[type] ?? 400 };
    }
  };
}
