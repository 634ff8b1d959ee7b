// One secret per source, created with a placeholder. Credentials never appear in a template.
import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { PLACEHOLDER_USERNAME } from '../../../functions/shared/placeholder-credentials.ts';
import { inNames } from '../names-of-outputs.ts';
import { publishFillCommand, publishOutput } from '../published-output.ts';

export class SourceCredentials extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, { sourceId }: { sourceId: string }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Username and password of the admin user that reads the action log of ${sourceId}`,
      // Never change these two: CloudFormation would overwrite the credentials with a new placeholder.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ username: PLACEHOLDER_USERNAME }),
        generateStringKey: 'password',
      },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The password belongs to the membership service, which has no operation to change it, so nothing can rotate it.',
    });
    this.publishFillCommand(sourceId);
  }

  private publishFillCommand(sourceId: string): void {
    const { secretArn, secretName } = this.secret;
    const stack = Stack.of(this);
    const name = inNames(sourceId);
    publishOutput(stack, `${name}SecretArn`, { description: `Secret of ${sourceId}, for policies`, value: secretArn });
    publishOutput(stack, `${name}SecretName`, {
      description: `Secret with the credentials of ${sourceId}`,
      value: secretName,
    });
    publishFillCommand(stack, `${name}SecretFill`, {
      description: 'it asks for username and password and fills the secret',
      store: `aws secretsmanager put-secret-value --region ${Aws.REGION} --secret-id ${secretArn} --secret-string`,
    });
  }
}
