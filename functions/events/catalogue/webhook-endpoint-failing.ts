import { notice } from './catalogued.ts';
import { instant, object, text, type ValueOf } from './schema.ts';

export const webhookEndpointFailing = notice({
  type: 'WebhookEndpointFailing',
  when: 'Every attempt at a receiver of signed webhooks has failed for four days, after one more day it is disabled; or at a system of auditors for 15 minutes.',
  use: 'Repair the receiver. What is for it is kept.',
  data: object({
    endpointId: text('The receiver'),
    failingSince: instant('The first failure since the last success'),
  }),
  example: { endpointId: 'crm', failingSince: '2026-11-16T09:14:41.120Z' },
});

/** `data` of WebhookEndpointFailing. */
export type WebhookEndpointFailingData = ValueOf<typeof webhookEndpointFailing.data>;
