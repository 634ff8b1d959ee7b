// A consumer that reads and writes members' data. It is switched on in cdk.json, which names the tag and the fields.
import type { Context } from 'aws-lambda';
import { createSecretsManagerClient } from '../../aws/clients.ts';
import { createCredentialsReader } from '../../aws/secrets/credentials.ts';
import { parse } from '../../events/index.ts';
import { createMembershipClient } from '../../membership/client.ts';
import { readTagNewMemberConfig } from './config.ts';
import { tagNewMember } from './tag-new-member.ts';

/** Reserved for reporting a failure. */
const RESERVE_MS = 1_000;

/** Client and token outlive an invocation. */
function createConsumer() {
  const config = readTagNewMemberConfig(process.env);
  const credentials = createCredentialsReader({ client: createSecretsManagerClient(), secretId: config.secretId });
  const client = createMembershipClient({ ...config, credentials });
  return { config, client };
}

let consumer: ReturnType<typeof createConsumer> | null = null;

/**
 * Tags the new member of an event. Logs the outcome and no personal data. Rejects on failure, so that Lambda retries.
 */
export async function handler(input: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> {
  const event = parse(input);
  if (event['detail-type'] !== 'MemberChanged') return;
  consumer ??= createConsumer();
  const signal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
  const outcome = await tagNewMember(event, { ...consumer, signal });
  console.info({ id: event.detail.metadata.id, outcome });
}
