import { notice } from './catalogued.ts';
import { instant, object, text, type ValueOf } from './schema.ts';

export const webhookEndpointDisabled = notice({
  type: 'WebhookEndpointDisabled',
  when: 'A receiver of signed webhooks is disabled until it is enabled again. Its messages are kept.',
  use: 'Repair the receiver, then enable it.',
  data: object({
    endpointId: text('The receiver'),
    reason: text('Why, such as the status of its answer'),
    disabledAt: instant('When'),
  }),
  example: { endpointId: 'crm', reason: '410', disabledAt: '2026-11-20T09:14:41.120Z' },
});

/** `data` of WebhookEndpointDisabled. */
export type WebhookEndpointDisabledData = ValueOf<typeof webhookEndpointDisabled.data>;
