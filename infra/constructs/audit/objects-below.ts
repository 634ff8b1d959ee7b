// A right on the objects of the audit bucket below one prefix, with the acknowledgement that its wildcard needs.
import { Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { allow } from '../bridge-function.ts';

/** The output of the data stack under which other stacks find the bucket's ARN. */
export const AUDIT_BUCKET_ARN = 'AuditBucketArn';

/** For a role inside `scope`. The bucket belongs to another stack. */
export function allowBelow(
  scope: Construct,
  bucket: IBucket,
  { prefix, actions }: { prefix: string; actions: string[] },
): PolicyStatement {
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${arnAsRead(bucket)}/${prefix}*]`,
    reason: 'Objects have no names before they are written: the right is on those below one prefix of one bucket.',
  });
  return allow(actions, [bucket.arnForObjects(`${prefix}*`)]);
}

/** The ARN exactly as the template has it: a finding is acknowledged by its text. A mismatch fails the synthesis. */
function arnAsRead(bucket: IBucket): string {
  const { stackName: StackName } = Stack.of(bucket);
  return JSON.stringify({
    'Fn::GetStackOutput': { StackName, Region: { Ref: 'AWS::Region' }, OutputName: AUDIT_BUCKET_ARN },
  });
}
