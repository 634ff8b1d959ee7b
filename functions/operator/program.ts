// The program with its commands, and what it says where one fails.
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { BridgeError } from '../shared/errors.ts';
import { Problem } from '../shared/problem.ts';
import type { Surroundings } from './command.ts';
import { backfillCommand } from './backfill/command.ts';
import { credentialsCommand } from './credentials/command.ts';
import { deadLettersCommand } from './dead-letters/command.ts';
import { destinationsCommand } from './destinations/command.ts';
import { eventsCommand } from './events/command.ts';
import { gapsCommand } from './gaps/command.ts';
import { historyCommand } from './history/command.ts';
import { logsCommand } from './logs/command.ts';
import { notifyCommand } from './notify/command.ts';
import { pauseCommand, resumeCommand } from './pause/command.ts';
import { policyCommand } from './policy/command.ts';
import { quarantineCommand } from './quarantine/command.ts';
import { sourcesCommand } from './sources/command.ts';
import { statusCommand } from './status/command.ts';
import { sweepsCommand } from './sweeps/command.ts';

/** The exit code where a command could not do its work. */
const FAILED = 2;

const DESCRIPTION = `Commands for the operator of a membership event bridge.
They use your own AWS credentials, and find the bridge by its CloudFormation stacks.
For a bridge that npm start runs, first: . .local/aws.env`;

/** The commands on a deployed bridge, with `others`. Each throws CommanderError instead of ending the process. */
export function createProgram(surroundings: Surroundings, others: readonly Command[] = []): Command {
  const commands = [
    statusCommand,
    sourcesCommand,
    logsCommand,
    gapsCommand,
    credentialsCommand,
    backfillCommand,
    sweepsCommand,
    quarantineCommand,
    deadLettersCommand,
    destinationsCommand,
    eventsCommand,
    pauseCommand,
    resumeCommand,
    historyCommand,
    notifyCommand,
    policyCommand,
  ];
  const program = new Command('membership-bridge').description(DESCRIPTION);
  for (const command of [...commands.map((create) => create(surroundings)), ...others]) program.addCommand(command);
  for (const command of everyCommand(program))
    command
      .exitOverride()
      .configureHelp({ subcommandTerm: termOf })
      .configureOutput({ writeErr: (text) => surroundings.output.note(text.trimEnd()) });
  return program;
}

/** `status [source]`: every command has options. */
function termOf(command: Command): string {
  return `${command.name()} ${command.usage().replaceAll(/\[(?:options|command)\] ?/g, '')}`.trimEnd();
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/**
 * Runs the command of `args`. What a person can correct is one message; anything else is a bug and keeps its stack
 * trace.
 */
export async function runProgram(
  program: Command,
  args: readonly string[],
  { output, exitWith }: Pick<Surroundings, 'output' | 'exitWith'>,
): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander prints its own errors; help and version are not errors.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    exitWith(FAILED);
    if (error instanceof CommanderError) return;
    output.note(error instanceof Problem || error instanceof BridgeError ? error.message : inspect(error));
  }
}
