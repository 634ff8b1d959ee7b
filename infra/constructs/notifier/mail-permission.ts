// What a function needs to send mails with SES from certain addresses only.
import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * SES checks the identity that is verified: the address or its domain. Sending MIME with SendEmail needs the right to
 * SendRawEmail. In the sandbox SES checks the recipients' identities too: ask AWS to move the account out of it.
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
