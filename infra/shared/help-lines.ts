// The options of a command with what they do, for 80 columns.

const COLUMNS = 80;
/** Where the texts begin. */
const INDENT = 23;

/** Each option on a line of its own, its text broken between words. */
export function helpLines(options: readonly (readonly [option: string, text: string])[]): string[] {
  return options.flatMap(([option, text]) => {
    const lines = [`  ${option.padEnd(INDENT - 3)}`];
    for (const word of text.split(' ')) {
      if (`${lines.at(-1)} ${word}`.length > COLUMNS) lines.push(' '.repeat(INDENT - 1));
      lines.push(`${lines.pop()} ${word}`);
    }
    return lines;
  });
}
