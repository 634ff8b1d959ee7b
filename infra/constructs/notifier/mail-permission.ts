// What a function needs in order to send mails by SES under certain addresses, and no others.
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * An address is verified by itself or by its domain; SES asks for the one that is. A mail composed as MIME is sent by the operation SendEmail,
 * for which SES asks for the right to SendRawEmail. (In the sandbox it asks for the recipients' identities too: ask AWS to move the account out of it.)
 */
export function mayMailAs(scope: Construct, senders: readonly string[]): PolicyStatement[] {
  return [...new Set(senders)].map((sender) => {
    const identities = [sender, sender.slice(sender.lastIndexOf('@') + 1)];
    return new PolicyStatement({
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resources: identities.map((name) =>
        Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName: name }),
      ),
      conditions: { StringEquals: { 'ses:FromAddress': sender } },
    });
  });
}
