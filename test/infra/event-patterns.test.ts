import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../functions/events/patterns/event-pattern.ts';
import { nullPlaces } from '../../infra/shared/null-places.ts';
import { CONFIGURATIONS } from '../support/configurations.ts';
import { REFUSALS } from '../unit/events/patterns/pattern-refusals.ts';
import { VECTORS } from '../unit/events/patterns/pattern-vectors.ts';
import { DATA, onlyResource, patternOf, resourcesOf, stacksOf, templateOf } from './synthesized.ts';

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

describe.each(Object.entries(CONFIGURATIONS))('the templates of %s', (_name, bridge) => {
  const rules = Object.values(stacksOf(bridge)).flatMap((template) => resourcesOf(template, 'AWS::Events::Rule'));

  it('have null nowhere, because CloudFormation refuses it at any depth', () => {
    expect(nullPlaces(stacksOf(bridge))).toEqual([]);
  });

  it('have the pattern of each rule as JSON text, which EventBridge takes', () => {
    const patterns = rules.map(([, rule]) => patternOf(rule));

    expect(rules.map(([, { Properties }]) => typeof Properties['EventPattern'])).toEqual(rules.map(() => 'string'));
    expect(() => patterns.forEach((pattern) => compilePattern(pattern, 'rule'))).not.toThrow();
    expect(refusedByTheCdk(patterns)).toEqual([]);
  });
});

it("has the archive's pattern as an object, as its schema says", () => {
  const { EventPattern } = onlyResource(templateOf(undefined, DATA), 'AWS::Events::Archive').Properties;

  expect(EventPattern).toEqual({ source: ['membership.actionlog', 'membership.bridge'] });
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
