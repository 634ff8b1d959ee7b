// The command line of a script of npm: its help, and every problem at once, each in a line that says what to write.
import { Command, CommanderError, Option } from 'commander';

/** A reader throws a RangeError whose message completes a line that begins with the option as written. */
type Flag = readonly [flags: string, help: string, read?: (text: string) => unknown];

/** `name` is what a person types before the options; `operand` a word without hyphens that there may be. */
export type CommandLine = { name: string; about?: string; operand?: string; flags: readonly Flag[] };

/** `options` by their names in camel case: false or null where not written, a list where they may be repeated. */
type ParsedLine<Options> =
  | { kind: 'options'; options: Options; operands: string[] }
  | { kind: 'problems'; problems: string[] }
  | { kind: 'help' };

const COLUMNS = 80;

export function parseLine<Options>(line: CommandLine, args: readonly string[]): ParsedLine<Options> {
  const problems: string[] = [];
  const command = toCommand(line, problems).allowUnknownOption().allowExcessArguments();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'help' } : { kind: 'problems', problems: [...problems, error.message] };
  }
  const operands = command.args.filter((word) => !word.startsWith('-'));
  const unread = line.operand === undefined ? command.args : command.args.filter((word) => !operands.includes(word));
  problems.unshift(...unread.map((word) => problemOf(word, command)));
  return problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'options', options: command.opts() as Options, operands };
}

export function lineHelp(line: CommandLine): string {
  return toCommand(line, []).helpInformation().trimEnd();
}

function toCommand({ name, about = '', operand, flags }: CommandLine, problems: string[]): Command {
  const command = new Command(name).description(about).helpOption('--help', 'show this').exitOverride();
  if (operand !== undefined) command.argument(`[${operand}]`);
  for (const flag of flags) command.addOption(toOption(flag, problems));
  return command
    .configureHelp({ helpWidth: COLUMNS, optionDescription: ({ description }) => description })
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
}

/** A value that cannot be read is a problem and no value, so that the others are read too. */
function toOption([flags, help, read = (text) => text]: Flag, problems: string[]): Option {
  const option = new Option(flags, help);
  if (option.isBoolean()) return option.default(false);
  const readOne = (text: string): unknown => {
    try {
      if (text.trim() !== '') return read(text);
      problems.push(`${option.long} needs a value: ${flags}.`);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(`${option.long} ${text} ${error.message}`);
    }
    return null;
  };
  return option.variadic
    ? option.default([]).argParser<unknown[]>((text, before) => [...before, readOne(text)])
    : option.default(null).argParser(readOne);
}

/** Of a word that no option takes. */
function problemOf(word: string, command: Command): string {
  if (!word.startsWith('-')) return `"${word}" is not understood; options begin with two hyphens.`;
  const [name = ''] = word.split('=');
  const isKnown = name === '--help' || command.options.some(({ long }) => long === name);
  return isKnown ? `${name} takes no value.` : `${name} is unknown; ${command.name()} --help shows all options.`;
}

/** A reader of numbers. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new RangeError(`is not a whole number from ${min} to ${max}.`);
  };
}

/** A reader of names. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw new RangeError(`is unknown; write one of ${choices.join(', ')}.`);
    return chosen;
  };
}
