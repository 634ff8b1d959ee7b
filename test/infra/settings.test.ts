import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { readBridgeSettings } from '../../infra/settings.ts';
import { BridgeError } from '../../functions/shared/errors.ts';
import { ACME, CDK_CONTEXT, withApp } from './synthesized.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

const read = (bridge: unknown) => readBridgeSettings(new App({ context: { bridge } }).node, NOW);

function problemsOf(bridge: unknown): string[] {
  try {
    read(bridge);
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'InvalidSettings') return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

it('takes the checked-in cdk.json for one example source, polled every minute', () => {
  expect(read(CDK_CONTEXT['bridge'])).toEqual({
    environmentName: null,
    logRetentionDays: 30,
    sources: [{ settings: ACME, everyMinutes: 1 }],
  });
});

it('reads every setting', () => {
  const settings = read({ environmentName: 'test', logRetentionDays: 7, sources: [{ ...ACME, everyMinutes: 5 }] });

  expect(settings).toEqual({
    environmentName: 'test',
    logRetentionDays: 7,
    sources: [{ settings: ACME, everyMinutes: 5 }],
  });
});

it('lists every problem of every source in one error', () => {
  const problems = problemsOf({
    enviromentName: 'test',
    logRetentionDays: 31,
    sources: [
      { ...ACME, timeZone: 'Mars', everyMinutes: 0 },
      { ...ACME, baseUrl: 'http://api.membership.example', secretId: 'own', fields: { idd: '/id' } },
    ],
  });

  expect(problems).toEqual([
    expect.stringMatching(/^- logRetentionDays: is not offered; write one of 1, 3, 5,/),
    expect.stringMatching(/^- sources\[0\].timeZone: is not a time zone/),
    '- sources[0].everyMinutes: is 0; write a whole number from 1 to 60',
    expect.stringMatching(/^- sources\[1\].baseUrl: is not https/),
    '- sources[1].fields.idd: is not known; did you mean "id"?',
    expect.stringMatching(/^- sources\[1\].secretId: is not known; known are sourceId,/),
    '- enviromentName: is not known; did you mean "environmentName"?',
  ]);
});

it('refuses two sources with one id, because their state would be one', () => {
  expect(problemsOf({ sources: [ACME, { ...ACME, timeZone: 'UTC' }] })).toEqual([
    expect.stringMatching(/^- sources\[1\].sourceId: is taken by another source/),
  ]);
});

it.each([
  [undefined, '(the whole): is missing; write an object with environmentName, logRetentionDays, sources'],
  [{}, 'sources: is missing or not a list; write the list of sources'],
  [{ sources: [] }, 'sources: is empty; write at least one source'],
  [{ sources: [ACME], environmentName: '-' }, 'environmentName: does not have the right form; write 1 to 20'],
])('refuses %j', (bridge, problem) => {
  expect(problemsOf(bridge)).toEqual([expect.stringContaining(problem)]);
});

it('builds nothing where the settings are wrong', () => {
  const build = () =>
    withApp((app) => app.synth(), { context: { bridge: { sources: [{ ...ACME, timeZone: 'Mars' }] } } });

  expect(build).toThrow(BridgeError);
});

it('names the stack after the environment', () => {
  const nameWith = (more: object) =>
    withApp((app) => app.synth().stacks[0]?.stackName, { context: { bridge: { sources: [ACME], ...more } } });

  expect(nameWith({})).toBe('MembershipBridge');
  expect(nameWith({ environmentName: 'test' })).toBe('MembershipBridge-test');
});
