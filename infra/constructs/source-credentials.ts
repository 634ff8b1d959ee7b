// One secret per source, created with a placeholder: the credentials themselves never pass through a template.
import { CfnOutput, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { PLACEHOLDER_USERNAME } from '../../functions/shared/placeholder-credentials.ts';

export class SourceCredentials extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, { sourceId }: { sourceId: string }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Username and password of the admin user that reads the action log of ${sourceId}`,
      // Never change these two: CloudFormation would write a new placeholder over the credentials.
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
    this.tellHowToFill(sourceId);
  }

  private tellHowToFill(sourceId: string): void {
    new CfnOutput(this, 'Name', {
      description: `Secret with the credentials of ${sourceId}`,
      value: this.secret.secretName,
    });
    // From standard input, so that the password stands in no shell history and no list of processes.
    new CfnOutput(this, 'Command', {
      description: `Fills it: give {"username":"...","password":"..."} on standard input (< file, or type it and press Ctrl+D)`,
      value: `aws secretsmanager put-secret-value --secret-id ${this.secret.secretArn} --secret-string file:///dev/stdin`,
    });
  }
}
