import type { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Surroundings } from '../../../functions/operator/command.ts';
import { doctorCommand } from '../../../functions/operator/doctor/command.ts';
import { createProgram, runProgram } from '../../../functions/operator/program.ts';
import { createOutput } from '../../../functions/operator/terminal/output.ts';

/** The program on a terminal of 80 columns, and what it writes there. */
function aProgram() {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const surroundings = {
    output: createOutput({ out: stream, err: stream }),
    exitWith: () => {},
    toPath: (path: string) => path,
  } as unknown as Surroundings & { toPath: (path: string) => string };
  const program = createProgram(surroundings, [doctorCommand(surroundings)]);
  return { program, surroundings, written };
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function helpOf(command: Command): string {
  const texts: string[] = [];
  command.configureOutput({ writeOut: (text) => texts.push(text), getOutHelpWidth: () => 80 }).outputHelp();
  return texts.join('');
}

test('the help of every command fits 80 columns, and names each default once, as it is written', () => {
  const helps = everyCommand(aProgram().program).map(helpOf);

  const lines = helps.flatMap((help) => help.split('\n'));
  expect(helps.length).toBeGreaterThan(25);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(helps.filter((help) => /default[^)]*\)\s+\(default|default: \d{6,}/.test(help))).toEqual([]);
});

test('an argument from outside controls no terminal, however it is refused', async () => {
  const { program, surroundings, written } = aProgram();

  await runProgram(program, ['events', 'show', '\u001b[2J\u202ex'], surroundings);

  expect(written.join('')).toContain('Write letters, digits and hyphens.');
  expect(written.join('')).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});
