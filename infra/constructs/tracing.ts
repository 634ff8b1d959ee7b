// Traces of X-Ray for every function of a stack, and the right to write them.
import type { IAspect } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { BridgeFunction } from './bridge-function.ts';

/** An aspect: what a function is made of is complete when it comes. */
export const tracing: IAspect = {
  visit(node: IConstruct): void {
    if (node instanceof CfnFunction) node.tracingConfig = { mode: 'Active' };
    if (node instanceof BridgeFunction) node.mayTrace();
  },
};
