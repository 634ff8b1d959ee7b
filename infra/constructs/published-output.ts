// Stack outputs with readable names, which other stacks use too.
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** Where the CDK keeps the outputs that other stacks refer to, and how it names them. */
const SCOPE = 'Publish';
const idOf = (stack: Stack, reference: string): string => `Output${JSON.stringify(stack.resolve(reference))}`;

/**
 * Adds an output called `name`. If another stack refers to the same value, the CDK finds this output and uses it;
 * otherwise it would add one with a generated name. A later CDK that looks elsewhere would do that again: no harm.
 */
export function publishOutput(stack: Stack, name: string, props: { description: string; value: string }): void {
  const scope = stack.node.tryFindChild(SCOPE) ?? new Construct(stack, SCOPE);
  new CfnOutput(scope, idOf(stack, props.value), props).overrideLogicalId(name);
}
