import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAssembly, synthesize } from '../../../../../infra/local/cloudformation/assembly.ts';
import { cachedAssembly } from '../../../../../infra/local/cloudformation/assembly-cache.ts';
import { readDefinitions } from '../../../../../infra/local/cloudformation/resources.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';
import { refusalOf } from '../../../../support/refusal.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const source = { sourceId: 'acme', baseUrl: 'https://api.example.org', timeZone: 'Europe/Istanbul' };
const environment = process.env;

describe('assembly', () => {
  test('is synthesized by the app itself, and every resource is supported with everything switched on', async () => {
    const folder = join(await temporaryFolder(), 'assembly');
    const all = { eventLog: true, alarmEmail: 'ops@example.org', consumers: { memberChange: true } };

    const assembly = await synthesize({ folder, context: { bridge: { sources: [source], ...all } }, environment });

    const definitions = readDefinitions(readStacks(assembly.stacks));
    const { functions, schedules, secrets, buses, rules, queues } = definitions;
    expect(assembly.stacks.map(({ name }) => name).toSorted()).toEqual([
      'MembershipBridge',
      'MembershipBridge-Consumers',
      'MembershipBridge-Data',
    ]);
    expect([definitions.tables, buses, secrets, schedules].map(({ length }) => length)).toEqual([2, 1, 1, 1]);
    expect(JSON.parse(schedules[0]?.input ?? '')).toEqual({ ...source, secretId: secrets[0]?.arn });
    expect(functions.map(({ name }) => name)).toContain(schedules[0]?.functionName);
    expect(functions.map(({ assetKey }) => assembly.assetFolder(assetKey))).toEqual(
      functions.map(() => expect.stringMatching(/asset\.\w+$/)),
    );
    expect(new Set(rules.map(({ busName }) => busName))).toEqual(new Set([buses[0]?.name]));
    expect(rules.flatMap(({ targets }) => targets.map(({ destination }) => destination.kind)).toSorted()).toEqual([
      'function',
      'logGroup',
    ]);
    expect(new Set(rules.flatMap(({ targets }) => targets.map(({ deadLetterArn }) => deadLetterArn)))).toEqual(
      new Set(queues.map(({ arn }) => arn)),
    );
  });

  test('is made once by the first of several callers, until something changes', async () => {
    const made: string[] = [];
    const context = { bridge: { sources: [source] }, 'made-for': `a test of process ${process.pid}` };
    const ask = async (who: string) =>
      await cachedAssembly({ context, environment, onSynthesis: () => made.push(who) });

    const folders = await Promise.all([ask('first'), ask('second')]);
    folders.push(await ask('third'));

    expect(made).toHaveLength(1);
    expect(new Set(folders).size).toBe(1);
    expect((await readAssembly(folders[0] ?? '')).stacks.map(({ name }) => name)).toEqual([
      'MembershipBridge-Data',
      'MembershipBridge',
    ]);
  });

  test("contains the app's output if it fails", async () => {
    const folder = join(await temporaryFolder(), 'assembly');
    const context = { bridge: { sources: [{ ...source, timeZone: 'Istanbul' }] } };

    const { name, message } = await refusalOf(synthesize({ folder, context, environment }));

    expect(name).toBe('Problem');
    expect(message).toMatch(/sources\[0\]\.timeZone/);
  });
});
