// The admin port, on the loopback address: switches faults and personality by name, writes entries, lists all entries.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Problem } from '../../../functions/shared/problem.ts';
import { onlyOwnRequests } from '../../shared/own-requests.ts';
import { Refused } from '../answers.ts';
import { readEntry, readJsonBody, shownEntry } from './admin-entries.ts';
import { readFaults } from '../faults/fault-values.ts';
import { PERSONALITY_NAMES } from '../personality/personalities.ts';
import type { RestartableService } from '../command/restartable-service.ts';

type AdminCall = { body: string; query: URLSearchParams };
/** Resolves to the JSON text of the answer. */
type AdminOperation = {
  help: string;
  answer: (call: AdminCall, service: RestartableService) => Promise<string> | string;
};

/** All operations of the admin port, by method and path. */
export const ADMIN_OPERATIONS: Readonly<Record<string, AdminOperation>> = {
  'GET /faults': {
    help: 'the current faults',
    answer: (_call, service) => JSON.stringify(service.current().faults),
  },
  'PUT /faults': {
    help: 'exactly these faults from the next request on, by name; `{}` switches all off',
    answer: ({ body }, service) => {
      service.current().faults = readFaults(readJsonBody(body));
      return JSON.stringify(service.current().faults);
    },
  },
  'GET /personality': {
    help: 'the name of the personality, and all names',
    answer: (_call, service) => personalityText(service),
  },
  'PUT /personality': {
    help: 'restarts as `{"name":"endless"}` at the same address, with the same seed, users and passwords. Entries written since the start are lost, and tokens become invalid. Refused (409) with `--state`',
    answer: becomeAnother,
  },
  'GET /entries': {
    help: 'all that was written to the log, visible or not, of all organisations, in order of writing; with `?after=12` only those with a greater `serial`',
    answer: ({ query }, service) => entriesText(service, query.get('after')),
  },
  'POST /entries': {
    help: 'writes an entry: `{"actionKey":"ContactUpdated"}`, optionally with `memberName`, `details`, `at`, `stampedAheadMs`, `visibleAfterMs`',
    answer: ({ body }, service) => shownEntry(service.current().write(readEntry(readJsonBody(body)))),
  },
};

/** Creates the server. The caller makes it listen on the loopback address. */
export function createAdminServer(service: RestartableService): Server {
  return createServer(
    onlyOwnRequests('none', (incoming, outgoing) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      void answer(incoming, service).then(({ status, text }) => outgoing.writeHead(status, headers).end(`${text}\n`));
    }),
  );
}

async function answer(
  incoming: IncomingMessage,
  service: RestartableService,
): Promise<{ status: number; text: string }> {
  try {
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'http://localhost');
    const name = `${incoming.method} ${pathname}`;
    const operation = Object.hasOwn(ADMIN_OPERATIONS, name) ? ADMIN_OPERATIONS[name] : undefined;
    const body = await readBody(incoming);
    if (operation === undefined) throw new Refused(404, `There is no ${name}; there is ${OPERATION_NAMES.join(', ')}.`);
    return { status: 200, text: await operation.answer({ body, query }, service) };
  } catch (error) {
    return { status: statusOf(error), text: JSON.stringify({ error: (error as Error).message }) };
  }
}

const OPERATION_NAMES = Object.keys(ADMIN_OPERATIONS);

function statusOf(error: unknown): number {
  if (error instanceof Refused) return error.status;
  if (error instanceof RangeError) return 400;
  return error instanceof Problem ? 409 : 500;
}

async function becomeAnother({ body }: AdminCall, service: RestartableService): Promise<string> {
  const { name, ...others } = readJsonBody(body);
  const known = PERSONALITY_NAMES.find((each) => each === name);
  if (known === undefined || Object.keys(others).length > 0) {
    throw new Refused(400, `Write {"name":"NAME"} with one of ${PERSONALITY_NAMES.join(', ')}.`);
  }
  await service.become(known);
  return personalityText(service);
}

function personalityText(service: RestartableService): string {
  return JSON.stringify({ name: service.current().personality.name, names: PERSONALITY_NAMES });
}

function entriesText(service: RestartableService, after: string | null): string {
  if (after !== null && !/^\d{1,15}$/.test(after)) throw new Refused(400, 'after must be the serial of an entry.');
  const entries = service
    .current()
    .written()
    .filter(({ serial }) => serial > Number(after ?? 0));
  return `{"entries":[${entries.map(shownEntry).join(',\n')}]}`;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
