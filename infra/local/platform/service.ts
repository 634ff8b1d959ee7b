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

/** Operations that take and return parsed JSON. A refusal becomes an answer in AWS's words. */
export function jsonOperations(operations: Readonly<Record<string, Operation>>): Record<string, AnswerCall> {
  return Object.fromEntries(Object.entries(operations).map(([name, operate]) => [name, jsonOperation(operate)]));
}

function jsonOperation(operate: Operation): AnswerCall {
  return async (body, request) => {
    try {
      const output = await operate(JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>, request);
      return { status: 200, body: JSON.stringify(output) };
    } catch (error) {
      if (error instanceof AwsRefusal) return refusalAnswer(error.type, error.message, error.headers);
      throw error;
    }
  };
}
