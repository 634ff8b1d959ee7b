// Every command of the operator that a document, an alarm or a message names.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bridgeCommand } from './command.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The words after the command's name: those of the command, then perhaps those of its arguments. */
const NAMED = /(?<![\w/-])membership-bridge ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g;
/** An alarm has its command apart. */
const OF_ALARM = /\bcommand: ['`]((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g;

const wordsIn = (path: string, pattern: RegExp): string[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(pattern)].map(([, words = '']) => words);

/** The commands that `--help` lists at a place; none where it takes arguments, perhaps beside commands. */
async function listedUnder(place: readonly string[]): Promise<string[]> {
  const { out } = await bridgeCommand([...place, '--help'], { NO_COLOR: '1' });
  expect(out).toMatch(new RegExp(`^Usage: ${['membership-bridge', ...place].join(' ')}\\b`));
  if (/^Usage: .*\[command\] [[<]/.test(out)) return [];
  const [, commands = ''] = out.split('\nCommands:\n');
  return [...commands.matchAll(/^ {2}([a-z][\w|-]*)/gm)].flatMap(([, names = '']) => names.split('|'));
}

it('exists, as `--help` lists it', async () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).filter((path) => path !== 'CHANGELOG.md');
  const code = globSync(['functions/**/*.ts', 'infra/**/*.ts'], { cwd: ROOT });
  const named = new Set([
    ...[...documents, ...code].flatMap((path) => wordsIn(path, NAMED)),
    ...wordsIn('infra/constructs/alarms.ts', OF_ALARM),
  ]);
  const top = await listedUnder([]);
  const unknown: string[] = [];
  const groups = new Map<string, string[]>();

  for (const words of named) {
    const [first = '', second] = words.split(' ');
    if (!top.includes(first)) unknown.push(words);
    else if (second !== undefined) {
      const below = groups.get(first) ?? (await listedUnder([first]));
      groups.set(first, below);
      if (below.length > 0 && !below.includes(second)) unknown.push(words);
    }
  }

  expect(named).toContain('audit verify');
  expect(named).toContain('gaps');
  expect(unknown).toEqual([]);
});

it('has a row in the table of docs/operating.md', async () => {
  const text = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `membership-bridge ([a-z-]+).*$/gm)];

  const top = await listedUnder([]);

  expect(
    top.filter(
      (name) => name !== 'help' && !rows.some(([row]) => row.includes(`\`${name}\``) || row.includes(`bridge ${name}`)),
    ),
  ).toEqual([]);
});
