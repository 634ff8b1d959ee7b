// The stage of docs/deploying.md in a pipeline of somebody else: the same stacks, and the same refusals in one line.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { documentBlocks, movable } from '../support/document-blocks.ts';
import { ACME, BRIDGE, CDK_CONTEXT, CONSUMERS, DATA, EVERYTHING, stacksOf, type Template } from './synthesized.ts';

mkdirSync(join(PROJECT_FOLDER, '.local'), { recursive: true });
// Inside the project, so that imports resolve.
const folder = mkdtempSync(join(PROJECT_FOLDER, '.local', 'pipeline-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the document's app as the CDK's command does; the assembly is left in a folder. */
function runPipeline(bridge: unknown, region = 'eu-central-1') {
  const [{ text } = { text: '' }] = documentBlocks('docs/deploying.md', 'ts');
  const file = join(folder, 'pipeline.ts');
  writeFileSync(file, movable(text).replaceAll('eu-central-1', region));
  const outdir = mkdtempSync(join(folder, 'out-'));
  const context = { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [], bridge };
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const { status, stderr } = spawnSync(process.execPath, [file], { cwd: PROJECT_FOLDER, env, encoding: 'utf8' });
  return { status, stderr, outdir };
}

const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

type Manifest = {
  artifacts: Record<string, { type: string; properties: { stackName?: string; templateFile: string } }>;
};
type Pipeline = { Stages: { Name: string; Actions: { Name: string; RunOrder: number }[] }[] };

it('a stage has the stacks of cdk.json under the same names and logical ids, deployed in their order', () => {
  const { status, stderr, outdir } = runPipeline(EVERYTHING);

  expect([status, stderr]).toEqual([0, '']);
  const { artifacts } = read(outdir, 'assembly-Production', 'manifest.json') as Manifest;
  const stacks = Object.values(artifacts).flatMap(({ type, properties }) => {
    if (type !== 'aws:cloudformation:stack') return [];
    const { Resources } = read(outdir, 'assembly-Production', properties.templateFile) as Template;
    return [[properties.stackName, idsIn(Resources)]];
  });
  const ours = Object.entries(stacksOf(EVERYTHING)).map(([name, { Resources }]) => [name, idsIn(Resources)]);
  expect(Object.fromEntries(stacks)).toEqual(Object.fromEntries(ours));

  const { Resources } = read(outdir, 'Pipeline.template.json') as Template;
  const pipeline = Object.values(Resources).find(({ Type }) => Type === 'AWS::CodePipeline::Pipeline');
  const stage = (pipeline?.Properties as Pipeline | undefined)?.Stages.find(({ Name }) => Name === 'Production');
  const deployed = stage?.Actions.filter(({ Name }) => Name.endsWith('.Deploy')).map(({ Name }) => Name);
  expect(deployed).toEqual([DATA, BRIDGE, CONSUMERS].map((name) => `${name}.Deploy`));
});

it('wrong settings, a breach of a limit and what the region lacks are one line each and exit code 1', () => {
  const sources = Array.from({ length: 480 }, (_, index) => ({ ...ACME, sourceId: `organisation-${index}` }));

  expect(runPipeline({ sources, capacity: 480 })).toMatchObject({
    status: 1,
    stderr:
      'AWS would refuse what the context "bridge" of cdk.json asks for:\n- sources: Production/MembershipBridge has 514 resources, and AWS takes 500; write fewer or shorter ones, or add sources by command\n',
  });
  expect(runPipeline({ sources: [{ ...ACME, timeZone: 'Mars' }] })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^The context "bridge" of cdk\.json cannot be used:\n- sources\[0\]\.timeZone: .*\n$/,
    ),
  });
  const budget = { alarmEmail: 'ops@example.org', monthlyBudget: 20, sources: [ACME] };
  expect(runPipeline(budget, 'eu-south-2')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^The region lacks what .*:\n- monthlyBudget: CloudFormation has no .* in eu-south-2; .*\n$/,
    ),
  });
});

/** Without those that have a digest of the account or a path of the app in their ids, and the CDK's own metadata. */
function idsIn(resources: Template['Resources']): string[] {
  const ids = Object.entries(resources).filter(([, { Type }]) => !NOT_COMPARED.includes(Type));
  return ids.map(([id]) => id).toSorted();
}

const NOT_COMPARED = ['AWS::Lambda::Version', 'AWS::Lambda::Permission', 'AWS::CDK::Metadata'];
