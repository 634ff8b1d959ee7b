// A changed logical id makes CloudFormation build the resource anew: an empty table, a secret without credentials, a bus without rules.
import { expect, it } from 'vitest';
import { ACME, resourcesOf, templateOf, type Template } from './synthesized.ts';

const OTHER = { ...ACME, sourceId: 'other' };

const STATEFUL = [
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::Events::EventBus',
  'AWS::Events::Archive',
];

const statefulIds = (template: Template) =>
  STATEFUL.flatMap((type) => resourcesOf(template, type).map(([logicalId]) => logicalId));

it('never renames what holds state (S54)', () => {
  // Written down once and for all: changing this line loses the state of whoever has deployed the bridge.
  expect(statefulIds(templateOf({ sources: [ACME] }))).toEqual([
    'StateTable962DE04C',
    'CredentialsacmeSecretBAAB8107',
    'EventBusEEC924FB',
    'EventBusArchive5B309695',
  ]);
});

it('keeps what holds state when settings change or a source is added before the others (S54)', () => {
  const before = statefulIds(templateOf({ sources: [ACME] }));

  const after = statefulIds(
    templateOf({
      environmentName: 'test',
      logRetentionDays: 7,
      sources: [OTHER, { ...ACME, baseUrl: 'https://new.example', timeZone: 'UTC', pageSize: 7, everyMinutes: 2 }],
    }),
  );

  expect(after).toEqual(expect.arrayContaining(before));
});

it('keeps the names of stateful resources out of the hands of what can change (S54)', () => {
  const { Resources } = templateOf({ sources: [ACME] });

  const named = Object.values(Resources).filter(({ Type }) => /Table$|Secret$/.test(Type));

  expect(named).toHaveLength(2);
  for (const { Properties } of named) {
    expect(Properties).not.toHaveProperty('TableName');
    expect(Properties).not.toHaveProperty('Name');
  }
});

it('tells sources apart whose ids differ in a hyphen only', () => {
  const ids = statefulIds(templateOf({ sources: [ACME, { ...ACME, sourceId: 'ac-me' }] }));

  expect(new Set(ids).size).toBe(5);
});

it('changes a schedule in place when the settings of its source change', () => {
  const [[first] = []] = resourcesOf(templateOf({ sources: [ACME] }), 'AWS::Scheduler::Schedule');
  const [[second] = []] = resourcesOf(
    templateOf({ sources: [{ ...ACME, baseUrl: 'https://new.example' }] }),
    'AWS::Scheduler::Schedule',
  );

  expect(second).toBe(first);
});
