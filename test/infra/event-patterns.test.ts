import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../functions/events/patterns/event-pattern.ts';
import { nullPlaces } from '../../infra/shared/null-places.ts';
import { CONFIGURATIONS } from '../support/configurations.ts';
import { patternOf, resourcesOf, stacksOf } from './synthesized.ts';

describe.each(Object.entries(CONFIGURATIONS))('the templates of %s', (_name, bridge) => {
  const rules = Object.values(stacksOf(bridge)).flatMap((template) => resourcesOf(template, 'AWS::Events::Rule'));

  it('have null nowhere, because CloudFormation refuses it at any depth', () => {
    expect(nullPlaces(stacksOf(bridge))).toEqual([]);
  });

  it('have the pattern of each rule as JSON text, which EventBridge takes', () => {
    const patterns = rules.map(([, rule]) => patternOf(rule));

    expect(rules.map(([, { Properties }]) => typeof Properties['EventPattern'])).toEqual(rules.map(() => 'string'));
    expect(() => patterns.forEach((pattern) => compilePattern(pattern, 'rule'))).not.toThrow();
  });
});
