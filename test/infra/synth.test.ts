import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { withApp } from './synthesized.ts';

const run = promisify(execFile);

/** A poller is loaded at every cold start: what is larger than this takes too long. */
const BUNDLE_LIMIT_BYTES = 1_300_000;

describe('the AWS Solutions rules', () => {
  it('pass', () => {
    expect(withApp((app) => app.synth().stacks)).toHaveLength(1);
  });

  it('fail the synthesis where one is broken and not acknowledged', () => {
    const synthesize = () =>
      withApp((app) => {
        const queue = new Queue(app.node.findChild('MembershipBridge'), 'Open');
        return [queue, app.synth()];
      });

    expect(synthesize).toThrow('AwsSolutions-SQS4');
  });

  it('are acknowledged in these places only, each with its reason', () => {
    const acknowledged = withApp((app) =>
      app.node.findAll().flatMap(({ node }) =>
        node.metadata
          .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
          .flatMap(({ data }) => Object.entries(data as Record<string, string>))
          .map(([rule, reason]) => ({ path: node.path, rule, reason })),
      ),
    );

    expect(acknowledged).toEqual([
      {
        path: 'MembershipBridge/Credentials/acme/Secret',
        rule: expect.stringContaining('AwsSolutions-SMG4'),
        reason: expect.stringMatching(/^The password belongs to the membership service/),
      },
    ]);
  });
});

describe('cdk synth', () => {
  let folder: string;
  let output: string;
  let bundle: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cdk-out-'));
    const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
    const { stdout, stderr } = await run(
      process.execPath,
      [cdk, 'synth', '--quiet', '--no-notices', '--output', folder],
      { cwd: PROJECT_FOLDER, env: { ...process.env, PATH: pathWithProjectFirst(), CDK_DISABLE_VERSION_CHECK: '1' } },
    );
    output = stdout + stderr;
    const asset = (await readdir(folder)).find((name) => name.startsWith('asset.'));
    bundle = join(folder, asset ?? 'no asset', 'index.js');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('prints no warning', () => {
    expect(output).not.toMatch(/warning|deprecat|feature flag/i);
  });

  it('bundles the poller into less than 1.3 MB', async () => {
    const { size } = await stat(bundle);

    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThan(BUNDLE_LIMIT_BYTES);
  });

  it('bundles a module that loads and has the handler', async () => {
    // As on AWS, where no package.json above the file says "module".
    const load = `console.log(typeof require(${JSON.stringify(bundle)}).handler)`;

    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', load], { cwd: folder });

    expect(stdout.trim()).toBe('function');
  });

  it('maps the bundle to its sources without repeating them', async () => {
    const map = JSON.parse(await readFile(`${bundle}.map`, 'utf8')) as { sources: string[]; sourcesContent?: unknown };

    expect(map.sources).toContainEqual(expect.stringMatching(/functions\/poller\/poll\.ts$/));
    expect(map).not.toHaveProperty('sourcesContent');
  });
});

it('tells what is wrong with the settings, and nothing else, when they cannot be used', async () => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ bridge: { sources: [] } }) };

  const synthesis = run(process.execPath, [join(PROJECT_FOLDER, 'infra/app.ts')], { env });

  await expect(synthesis).rejects.toMatchObject({
    code: 1,
    stderr: 'The context "bridge" of cdk.json cannot be used:\n- sources: is empty; write at least one source\n',
  });
});

/** cdk.json says `node`, which has to be the Node.js of this project. */
function pathWithProjectFirst(): string {
  return `${join(PROJECT_FOLDER, 'node_modules/.bin')}:${process.env['PATH']}`;
}
