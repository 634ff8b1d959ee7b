// The outputs that are commands, in every shell that people have.
import { describe, expect, it } from 'vitest';
import { acrossStacks, EVERYTHING, resolveText, stacksOf } from './synthesized.ts';

const NOTIFYING = {
  ...EVERYTHING,
  notifier: {
    channels: [...EVERYTHING.notifier.channels, { ...EVERYTHING.notifier.channels[1], name: 'all', transport: 'smtp' }],
  },
};
const stacks = stacksOf(NOTIFYING);
const outputs = new Map(
  Object.values(stacks).flatMap(({ Outputs }) =>
    Object.entries(Outputs).map(([name, { Value, Description = '' }]) => {
      const value = Object(acrossStacks(stacks, Value)) as object;
      const isCommand = 'Fn::Join' in value && !JSON.stringify(value).includes('Fn::Select');
      return [name, { text: isCommand ? resolveText(value, (id) => `<${id}>`) : '', Description }] as const;
    }),
  ),
);
const isForPosix = (text: string): boolean => /\/dev\/stdin|^[A-Z_]+=/.test(text);
const posixOnly = [...outputs].filter(([, { text }]) => isForPosix(text)).map(([name]) => name);

it('has commands for a POSIX shell only to fill secrets', () => {
  expect(posixOnly.toSorted()).toEqual(['NotifierAllSecretFill', 'NotifierOfficeSecretFill']);
});

describe.each(posixOnly)('%s', (name) => {
  const other = outputs.get(`${name}PowerShell`);

  it('says that it is for a POSIX shell, and has one for PowerShell beside it, with the same resources', () => {
    const { text, Description } = outputs.get(name) ?? { text: '', Description: '' };
    const resourcesIn = (command = '') => command.match(/<\w+>/g)?.toSorted();

    expect(Description).toContain('POSIX shell');
    expect(other?.Description).toContain('PowerShell');
    expect(isForPosix(other?.text ?? '/dev/stdin')).toBe(false);
    expect(resourcesIn(other?.text)).toEqual(resourcesIn(text));
    // Scripts may be forbidden on Windows, and `npm` alone is one there.
    expect(other?.text).toMatch(/\bnp[mx]\.cmd /);
  });
});

it('keeps a secret out of the arguments in PowerShell, and removes the file that held it', () => {
  expect(outputs.get('NotifierOfficeSecretFillPowerShell')?.text).toBe(
    '$file = (New-TemporaryFile).FullName; npm.cmd run --silent credentials -- --url --to $file; ' +
      'if ($?) { aws secretsmanager put-secret-value --region <AWS::Region> --secret-id <NotifierChannelofficeAddressSecret67629940> --secret-string "file://$file" }; ' +
      'Remove-Item $file',
  );
});
