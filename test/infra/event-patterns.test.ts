import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { expect, it } from 'vitest';
import { REFUSALS } from '../unit/infra/local/events/patterns/pattern-refusals.ts';
import { VECTORS } from '../unit/infra/local/events/patterns/pattern-vectors.ts';

it("refuses and accepts the same patterns as the CDK's validator", () => {
  const accepted = new Set(
    Object.values(VECTORS).flatMap((group) => group.map(([, pattern]) => JSON.stringify(pattern))),
  );
  const patterns = [
    ...REFUSALS.map(([, pattern]) => pattern),
    ...[...accepted].map((text) => JSON.parse(text) as unknown),
  ];

  const refused = refusedByTheCdk(patterns);

  expect(refused).toEqual(REFUSALS.map((_, index) => index));
});

/** The indices of the patterns that fail a synthesis. */
function refusedByTheCdk(patterns: readonly unknown[]): number[] {
  const outdir = mkdtempSync(join(tmpdir(), 'patterns-'));
  const app = new App({ outdir, context: { '@aws-cdk/core:validateAgainstDefaultRules': true } });
  const stack = new Stack(app, 'Patterns');
  const rules = patterns.map((eventPattern, index) => new CfnRule(stack, `Rule${index}`, { eventPattern }));
  try {
    app.synth();
    return [];
  } catch (error) {
    return [...rules.keys()].filter((index) => String(error).includes(`${rules[index]?.node.path} `));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}
