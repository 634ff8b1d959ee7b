import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../../infra/constructs/bundling.ts';
import { ACME, CDK_CONTEXT, EVERYTHING, withApp } from './synthesized.ts';

const BUDGET = { sources: [ACME], alarmEmail: 'ops@example.org', monthlyBudget: 20 };

const stacksIn = (region: string, bridge: unknown) =>
  withApp((app) => app.synth().stacks.length, { region, context: { bridge } });

/** Runs infra/app.ts as the CDK's command does. */
function runApp(region: string) {
  const CDK_OUTDIR = mkdtempSync(join(tmpdir(), 'regions-'));
  const context = { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [], bridge: BUDGET };
  const own = { CDK_OUTDIR, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_DEFAULT_REGION: region };
  const env = { ...process.env, ...own, CDK_VALIDATION: 'false' };
  try {
    return spawnSync(process.execPath, ['infra/app.ts'], { cwd: PROJECT_FOLDER, env, encoding: 'utf8' });
  } finally {
    rmSync(CDK_OUTDIR, { recursive: true });
  }
}

describe('a setting whose resources CloudFormation does not have in the region', () => {
  it.each([
    ['monthlyBudget', 'eu-south-2', BUDGET],
    ['monthlyBudget', 'eu-north-1', BUDGET],
    ['schemaRegistry', 'ap-southeast-4', { sources: [ACME], schemaRegistry: true }],
  ])('is refused before anything is deployed: %s in %s', (setting, region, bridge) => {
    const message = expect.stringMatching(new RegExp(`^- ${setting}: .* in ${region}; `, 'm'));

    expect(() => stacksIn(region, bridge)).toThrow(expect.objectContaining({ code: 'InvalidSettings', message }));
  });

  it('is taken in the other regions, and the other settings there', () => {
    expect(stacksIn('eu-central-1', EVERYTHING)).toBe(3);
    expect(stacksIn('eu-south-2', { sources: [ACME] })).toBe(2);
  });

  it("is refused in the region that the CDK's command deploys to, once, and nothing else is printed", () => {
    const stderr = expect.stringMatching(/^The region lacks what .* asks for:\n- monthlyBudget: .*\n$/);

    expect(runApp('eu-south-2')).toMatchObject({ status: 1, stdout: '', stderr });
  });
});
