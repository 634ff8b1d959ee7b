import type { ConsumerDefinition } from '../definition.ts';

export default {
  description: 'Receives changes of members',
  detailTypes: ['MemberChanged'],
  enabled: false,
} satisfies ConsumerDefinition;
