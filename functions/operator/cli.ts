// The operator's command, `npx membership-bridge`: it connects the commands to AWS, the terminal and the service. In a
// thread, which the local console has for them, many commands run one after another and share the loaded modules.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parentPort } from 'node:worker_threads';
import { Command } from 'commander';
import { createCheckpointChain } from '../aws/audit/checkpoint-chain.ts';
import { createAuditCopy } from '../aws/audit/audit-copy.ts';
import { createS3Client } from '../aws/audit/audit-bucket.ts';
import { createAuditTrail } from '../aws/audit/audit-trail.ts';
import { createDynamoDbClient } from '../aws/clients.ts';
import { countMessages } from '../aws/dead-letter-count.ts';
import { poll } from '../poller/poll.ts';
import { systemClock } from '../shared/clock.ts';
import { sha256Hex } from '../shared/json.ts';
import { askCredentials, askKey, askYes } from '../shared/ask-credentials.ts';
import { printableLines } from '../shared/printable.ts';
import { compareCommand } from './destinations/compare.ts';
import { doctorCommand } from './doctor/command.ts';
import { openFolder } from './audit/copy/folder-copy.ts';
import { type KeptHead, moveHeadFile, readHeadFile } from './audit/head-file.ts';
import { toKeptHead } from './audit/kept-head.ts';
import { createProgress } from './audit/progress.ts';
import { exitCodeOf, toJsonReport, toReport } from './audit/report/report.ts';
import { createSourceReader } from './audit/service/source-reader.ts';
import type { AuditTable, VerifyRequest } from './audit/verification.ts';
import { verify } from './audit/verify.ts';
import { periodOf, verifyCommand, type VerifyOptions } from './audit/verify-options.ts';
import { Problem } from '../shared/problem.ts';
import type { Surroundings } from './command.ts';
import { createProgram, runProgram } from './program.ts';
import { createOutput, type Output } from './terminal/output.ts';
import { type CommandIo, serveCommands } from './thread.ts';

/** Findings of each kind that the terminal shows. */
const MAX_SHOWN = 20;
const LAST_DAY = '9999-12-31';

/** Resolves a path in the folder where the command was typed; `npm run` changes to the project's folder. */
const toPath = (path: string): string => resolve(process.env['INIT_CWD'] ?? process.cwd(), path);

/** Throws a Problem where an option reads from AWS and the environment has no region or no credentials. */
async function checkAws(options: VerifyOptions): Promise<void> {
  const { bucket, table, deadLetters } = options;
  const [name] = Object.entries({ '--bucket': bucket, '--table': table, '--dead-letters': deadLetters }).flatMap(
    ([option, value]) => (value === undefined ? [] : [option]),
  );
  if (name === undefined) return;
  const { config } = createDynamoDbClient();
  await config.region().catch(() => {
    throw new Problem(`${name} needs an AWS region, and none was found. Write --region, or set AWS_REGION.`);
  });
  await config.credentials().catch(() => {
    const advice = 'Log in, for example with `aws sso login`, and set AWS_PROFILE.';
    throw new Problem(`${name} needs AWS credentials, and none were found. ${advice}`);
  });
}

async function auditVerify(options: VerifyOptions, { out, err, exitWith }: CommandIo): Promise<void> {
  const output = createOutput({ out, err });
  if (options.region !== undefined) process.env['AWS_REGION'] = options.region;
  await checkAws(options);
  const owner = { sourceId: options.source, bucket: options.bucket ?? null };
  const headFile = options.headFile === undefined ? null : toPath(options.headFile);
  const kept = headFile === null ? null : await readHeadFile(headFile, owner);
  const progress = createProgress(err, () => systemClock.now());
  const result = await verify({
    copy: options.folder === undefined ? openBucket(options.bucket ?? '') : await openFolder(toPath(options.folder)),
    sourceId: options.source,
    period: periodOf(options),
    bucket: owner.bucket,
    head: options.head ?? null,
    kept,
    table: options.table === undefined ? null : openTable(options.table),
    readDeadLetters: async () => await countMessages(options.deadLetters ?? []),
    ...(await sourceReader(options)),
    clock: systemClock,
    onProgress: progress.show,
  }).finally(progress.end);
  if (options.report !== undefined) await writeFile(toPath(options.report), toReport(result));
  const shown = { max: MAX_SHOWN };
  if (options.json) output.json(toJsonReport(result, shown));
  else out.write(toReport(result, shown));
  exitWith(exitCodeOf(result));
  if (headFile !== null) await keepHead(headFile, toKeptHead(result), output);
}

/** Rejects with a Problem if the head cannot be kept. */
async function keepHead(path: string, next: KeptHead | null, output: Output): Promise<void> {
  if (next === null) return output.note(`${path} stays as it was: something speaks against the end of the chain.`);
  const { number, sha256 } = await moveHeadFile(path, next, systemClock);
  output.note(`${path} keeps the head ${number}:${sha256}.`);
}

function openBucket(bucketName: string) {
  return createAuditCopy({ client: createS3Client(), bucketName });
}

function openTable(tableName: string): AuditTable {
  const table = { client: createDynamoDbClient(), tableName, clock: systemClock };
  const [chain, trail] = [createCheckpointChain(table), createAuditTrail(table)];
  return {
    name: `table ${tableName}`,
    readHead: async (sourceId) => await chain.readHead(sourceId),
    readTrail: async (sourceId) => (await trail.read(sourceId, LAST_DAY)).flatMap(({ records }) => records),
  };
}

async function sourceReader(options: VerifyOptions): Promise<Pick<VerifyRequest, 'readSource' | 'userSha256'>> {
  if (!options.againstSource) return { readSource: null, userSha256: null };
  const credentials = await askCredentials(process.env, terminal);
  const onProgress = (entries: number, failure: string | null): void =>
    void terminal.output.write(`${printableLines(failure ?? `Read ${entries} entries of the service.`)}\n`);
  const readSource = createSourceReader(options, credentials, { clock: systemClock, poll, onProgress });
  return { readSource, userSha256: sha256Hex(credentials.username) };
}

/** Questions go to standard error: standard output is for results. */
const terminal = { input: process.stdin, output: process.stderr };

/** Lines of standard input, where it is no terminal. */
let lines: AsyncIterator<string> | null = null;

async function nextLine(question: string): Promise<string> {
  lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done !== true && value !== '') return value;
  throw new Problem(`Standard input has no line for this: ${question.trim()}`);
}

const surroundingsOf = ({ out, err, interruption, exitWith }: CommandIo): Surroundings => ({
  connect: async ({ region }) => {
    if (region !== undefined) process.env['AWS_REGION'] = region;
    // Loaded on demand: most of its clients would only delay the other commands.
    const { connectOperator } = await import('../aws/operator/operator-cloud.ts');
    return await connectOperator();
  },
  output: createOutput({ out, err }),
  clock: systemClock,
  confirm: process.stdin.isTTY ? async (question) => await askYes(question, terminal) : null,
  askCredentials: async () => await askCredentials(process.env, terminal),
  askSecret: async (question) => (process.stdin.isTTY ? await askKey(question, terminal) : await nextLine(question)),
  readText: async (path) =>
    await readFile(toPath(path), 'utf8').catch(() => {
      throw new Problem(`The file ${path} cannot be read. Check its name.`);
    }),
  interruption,
  exitWith,
});

async function runCommand(args: readonly string[], io: CommandIo): Promise<void> {
  const surroundings = surroundingsOf(io);
  const doctor = doctorCommand({ ...surroundings, toPath });
  const audit = new Command('audit')
    .description('The audit copy.')
    .addCommand(verifyCommand(async (options) => await auditVerify(options, io)))
    .addCommand(compareCommand(surroundings));
  await runProgram(createProgram(surroundings, [doctor, audit]), args, surroundings);
}

const ofProcess: CommandIo = {
  out: process.stdout,
  err: process.stderr,
  interruption: async () =>
    await new Promise((resolve) => {
      process.once('SIGINT', () => resolve());
      process.stdout.once('error', () => resolve());
      if (process.stdout.errored !== null) resolve();
    }),
  exitWith: (code) => void (process.exitCode = code),
};

// Whoever reads the pipe may close it before the end, as `head` does. A change that has begun goes on.
process.stdout.on('error', () => {});

if (parentPort === null) await runCommand(process.argv.slice(2), ofProcess);
else serveCommands(parentPort, runCommand);
