import { notice } from './catalogued.ts';
import { instant, object, text, type ValueOf } from './schema.ts';

export const webhookEndpointDisabled = notice({
  type: 'WebhookEndpointDisabled',
  when: 'A receiver of signed webhooks gets no more of them until it is switched on again. Its messages are kept.',
  use: 'Find out what is wrong with the receiver, then switch it on.',
  data: object({
    endpointId: text('Which receiver'),
    reason: text('Why, such as the status that it answered'),
    disabledAt: instant('When'),
  }),
  example: { endpointId: 'crm', reason: '410', disabledAt: '2026-11-20T09:14:41.120Z' },
  published: false,
});

/** `data` of WebhookEndpointDisabled. */
export type WebhookEndpointDisabledData = ValueOf<typeof webhookEndpointDisabled.data>;
