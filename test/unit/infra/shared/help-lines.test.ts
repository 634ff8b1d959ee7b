import { expect, test } from 'vitest';
import { helpText } from '../../../../infra/local/run/options.ts';
import { commandHelp } from '../../../../infra/membership-service/command/command-options.ts';
import { helpLines } from '../../../../infra/shared/help-lines.ts';

test('an option has its text beside it, broken between words at 80 columns', () => {
  const text = 'so many seconds with a summary at the end, where the exit code is 1 if anything was lost';

  expect(helpLines([['--seconds N', text]])).toEqual([
    '  --seconds N          so many seconds with a summary at the end, where the exit',
    '                       code is 1 if anything was lost',
  ]);
});

test.each([
  ['npm start', helpText()],
  ['npm run membership-service', commandHelp()],
])('the help of %s fits a terminal of 80 columns', (_command, help) => {
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
