// A receiver to which EventBridge itself posts events, with an API key in a header: no function, no signature.
import { Aws, SecretValue, Stack } from 'aws-cdk-lib';
import { ApiDestination, Authorization, Connection, HttpMethod } from 'aws-cdk-lib/aws-events';
import { ApiDestination as ToApiDestination } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { ACTION_LOG_SOURCE, BRIDGE_SOURCE } from '../../../functions/events/event.ts';
import type { ApiDestinationSettings } from '../../settings/api-destination-settings.ts';
import { allow } from '../bridge-function.ts';
import { BusRule } from '../bus/bus-rule.ts';
import type { ConsumerSurroundings } from './consumer.ts';
import { DeadLetterQueue, DELIVERY_RETRIES } from '../dead-letter-queue.ts';
import { inNames } from '../names-of-outputs.ts';
import { publishFillCommand } from '../published-output.ts';

/** A key that no receiver knows. Until the real one is set, receivers refuse calls; EventBridge retries after a 401. */
const PLACEHOLDER_KEY = 'not-set';

type ApiReceiverProps = Pick<ConsumerSurroundings, 'bus' | 'alarms'> & { settings: ApiDestinationSettings };

export class ApiReceiver extends Construct {
  constructor(scope: Construct, id: string, { settings, bus, alarms }: ApiReceiverProps) {
    super(scope, id);
    const { name, url, detailTypes, apiKeyHeader, maxPerSecond } = settings;
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', { owner: name, alarms });
    // EventBridge keeps the key in its own secret; CloudFormation would read one of ours only when this changes.
    const connection = new Connection(this, 'Connection', {
      description: `How ${name} knows that it is us`,
      authorization: Authorization.apiKey(apiKeyHeader, SecretValue.unsafePlainText(PLACEHOLDER_KEY)),
    });
    const destination = new ApiDestination(this, 'Destination', {
      description: `Where ${name} takes events`,
      connection,
      endpoint: url,
      httpMethod: HttpMethod.POST,
      rateLimitPerSecond: maxPerSecond,
    });
    const role = new Role(this, 'Role', {
      description: `Lets the rule post to ${name}`,
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        post: new PolicyDocument({
          statements: [allow(['events:InvokeApiDestination'], [destination.apiDestinationArn])],
        }),
      },
    });
    new BusRule(this, 'Rule', {
      description: `What ${name} is sent`,
      eventBus: bus,
      eventPattern: { source: [ACTION_LOG_SOURCE, BRIDGE_SOURCE], detailType: detailTypes },
      targets: [
        new ToApiDestination(destination, {
          eventRole: role.withoutPolicyUpdates(),
          deadLetterQueue: queue,
          retryAttempts: DELIVERY_RETRIES.attempts,
          maxEventAge: DELIVERY_RETRIES.maxAge,
        }),
      ],
    });
    this.publishFillCommand(connection, settings);
  }

  private publishFillCommand({ connectionName }: Connection, { name, apiKeyHeader }: ApiDestinationSettings): void {
    publishFillCommand(Stack.of(this), `Receiver${inNames(name)}KeyFill`, {
      // A changed connection is written as a whole, so that CloudFormation puts the placeholder back.
      description: `it asks for the API key of ${name} and hands it to EventBridge. Run it again after each change of its apiKeyHeader`,
      options: `--api-key ${apiKeyHeader}`,
      store: `aws events update-connection --region ${Aws.REGION} --name ${connectionName} --authorization-type API_KEY --auth-parameters`,
    });
  }
}
