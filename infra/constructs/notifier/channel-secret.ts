// A secret for the address of a channel, created with a placeholder. The address never appears in a template.
import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { PLACEHOLDER_URL } from '../../../functions/shared/placeholder-credentials.ts';
import { inNames } from '../names-of-outputs.ts';
import { publishFillCommand } from '../published-output.ts';

export class ChannelSecret extends Construct {
  readonly secret: Secret;

  /**
   * `what` describes the owner of the address, such as "Slack channel office". The secret is named after the channel's
   * queue, so that the notifier needs no other name of it.
   */
  constructor(scope: Construct, id: string, { name, what, queue }: { name: string; what: string; queue: IQueue }) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      secretName: queue.queueName,
      description: `Address of the ${what}: { "url": "…" }`,
      // Never change these two: CloudFormation would overwrite the address with a new placeholder.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ url: PLACEHOLDER_URL }),
        generateStringKey: 'unused',
      },
      // An address is easy to get again, and a removed channel needs none.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The address is given out by Slack, Teams or a mail server, and no operation of theirs changes it.',
    });
    this.publishFillCommand(name, what);
  }

  private publishFillCommand(name: string, what: string): void {
    const { secretArn } = this.secret;
    const stack = Stack.of(this);
    publishFillCommand(stack, `Notifier${inNames(name)}SecretFill`, {
      description: `it asks for the address of the ${what} and fills the secret`,
      options: '--url',
      store: `aws secretsmanager put-secret-value --region ${Aws.REGION} --secret-id ${secretArn} --secret-string`,
    });
  }
}
