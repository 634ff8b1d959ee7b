// Outputs of a stack under names that people can read, used by other stacks too.
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** Where the CDK keeps the outputs by which other stacks read a reference, and how it names them there. */
const SCOPE = 'Publish';
const idOf = (stack: Stack, reference: string): string => `Output${JSON.stringify(stack.resolve(reference))}`;

/**
 * An output called `name`. Where another stack refers to the same value, the CDK finds this output and uses it; otherwise it would add
 * one of its own beside it, with a name that tells nothing. (Should a later CDK look elsewhere, that is what happens again: no harm.)
 */
export function publishOutput(stack: Stack, name: string, props: { description: string; value: string }): void {
  const scope = stack.node.tryFindChild(SCOPE) ?? new Construct(stack, SCOPE);
  new CfnOutput(scope, idOf(stack, props.value), props).overrideLogicalId(name);
}
