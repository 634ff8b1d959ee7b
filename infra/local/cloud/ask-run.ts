// Asks a running `npm start` for something that it offers.
import { text } from 'node:stream/consumers';
import { Problem } from '../../../functions/shared/problem.ts';
import { CONTROL } from './control.ts';

// An import reads every export, and some of those load a whole client: a quarter of the time of a command.
const { request } = process.getBuiltinModule('node:http');

/** Waits without limit: a debugger may hold a consumer. Rejects with a Problem, the run's own included. */
export async function askRun(
  { endpointUrl, accessKeyId }: { endpointUrl: string; accessKeyId: string },
  name: string,
  input: unknown,
): Promise<unknown> {
  const { promise, resolve: answered, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const headers = { 'content-type': 'application/json', [CONTROL.keyHeader]: accessKeyId };
  const outgoing = request(`${endpointUrl}${CONTROL.path}${name}`, { method: 'POST', headers }, (answer) => {
    text(answer).then((body) => answered({ status: answer.statusCode ?? 0, body }), reject);
  });
  outgoing.on('error', reject).end(JSON.stringify(input));
  const { status, body } = await promise.catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `npm start does not answer at ${endpointUrl} (${error.code}). Look at its terminal, and start it again.`,
    );
  });
  const value = JSON.parse(body) as { error?: string };
  if (status !== 200) throw new Problem(value.error ?? `npm start answers ${status}. Look at its terminal.`);
  return value;
}
