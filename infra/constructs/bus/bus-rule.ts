// A rule on the bus. Its pattern is JSON text in the template, as AWS says for null: a pattern may match null, and
// CloudFormation refuses a template in which it stands.
import { Stack } from 'aws-cdk-lib';
import { type CfnRule, Rule, type RuleProps } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';

export class BusRule extends Rule {
  constructor(scope: Construct, id: string, props: RuleProps & Required<Pick<RuleProps, 'eventBus' | 'eventPattern'>>) {
    super(scope, id, props);
    const rule = this.node.defaultChild as CfnRule;
    // The CDK's own property takes an object only, although CloudFormation's schema has both.
    rule.addPropertyOverride('EventPattern', Stack.of(this).toJsonString(rule.eventPattern));
  }
}
