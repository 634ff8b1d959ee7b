// Makes the folder of a consumer, and its test.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { toDetailType } from '../../../functions/events/detail-types.ts';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../../functions/events/event.ts';
import { isLoopback } from '../../../functions/shared/loopback.ts';
import { printable } from '../../../functions/shared/printable.ts';
import { Problem } from '../../../functions/shared/problem.ts';
import { CONSUMERS_FOLDER } from '../../settings/consumers/consumer-folders.ts';
import { nameProblem } from '../../settings/consumers/consumer-name.ts';
import { didYouMean } from '../../shared/near-names.ts';
import { TRIGGERED_KEYS } from '../trigger/trigger-action.ts';
import { consumerFiles, type NewConsumer, testOf } from './files.ts';
import { whatNext } from './what-next.ts';

const PROJECT_FOLDER = resolve(import.meta.dirname, '../../..');
const USAGE =
  'Write a name and one detail type or action key: npm run new-consumer -- payment-receipt --on PaymentChanged. One that calls an API: npm run new-consumer -- post-payment --on PaymentCreated --calls https://api.example.com/payments';

/** Makes the files in a project, and returns what to say. Throws a Problem of one line, and then makes none. */
export function newConsumer(args: readonly string[], project = PROJECT_FOLDER): string {
  const consumer = readArgs(args);
  const { name } = consumer;
  const wrongName = nameProblem(name);
  if (wrongName !== null) throw new Problem(`The name ${printable(name)} ${wrongName}.`);
  // Some systems take names that differ only in case for the same.
  const taken = readdirSync(join(project, CONSUMERS_FOLDER)).find((entry) => entry.toLowerCase() === name);
  if (taken !== undefined) throw new Problem(`${CONSUMERS_FOLDER}/${taken} exists already; write another name.`);
  const test = testOf(consumer);
  if (existsSync(join(project, test))) throw new Problem(`${test} exists already; write another name.`);
  for (const [path, text] of Object.entries(consumerFiles(consumer))) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text, { flag: 'wx' });
  }
  return whatNext(consumer);
}

function readArgs(args: readonly string[]): NewConsumer {
  const { values, positionals } = parsed(args);
  const [name, ...others] = positionals;
  const [on = '', ...more] = values.on ?? [];
  const [calls, ...otherCalls] = values.calls ?? [];
  if (name === undefined || others.length > 0 || on === '' || more.length + otherCalls.length > 0)
    throw new Problem(USAGE);
  return { name, ...eventNamed(on), calls: calls === undefined ? null : toAddress(calls) };
}

function parsed(args: readonly string[]) {
  try {
    const options = { on: { type: 'string', multiple: true }, calls: { type: 'string', multiple: true } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    throw new Problem(USAGE);
  }
}

/** A detail type, or an action key with the detail type that it belongs to. */
function eventNamed(on: string): Pick<NewConsumer, 'type' | 'actionKey'> {
  const types = [...DETAIL_TYPES, ...NOTICE_TYPES];
  const type = types.find((one) => one === on);
  if (type !== undefined) return { type, actionKey: null };
  const actionKey = TRIGGERED_KEYS.find((key) => key.toLowerCase() === on.toLowerCase());
  if (actionKey !== undefined) return { type: toDetailType(actionKey), actionKey };
  const near = didYouMean(on, [...types, ...TRIGGERED_KEYS]);
  throw new Problem(
    `${printable(on)} is no detail type and no known action key.${near} npm run trigger -- --help lists all. For a key of your own service, take its detail type and write actionKeys into consumer.ts.`,
  );
}

/** A longer one does not fit into a line of consumer.ts. */
const MAX_ADDRESS = 100;

function toAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || url.href.length > MAX_ADDRESS)
    throw new Problem(
      `--calls needs an https address of at most ${MAX_ADDRESS} characters without a password, such as https://api.example.com/payments. http is for this machine only.`,
    );
  return url;
}
