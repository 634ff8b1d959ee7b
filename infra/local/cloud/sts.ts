// STS as its clients call it: who calls.
import type { Operation } from '../platform/aws-call.ts';
import type { Place } from '../cloudformation/template.ts';

export function createSts({ accountId, partition }: Place): Record<string, Operation> {
  return {
    GetCallerIdentity: () => ({
      UserId: 'AIDALOCAL',
      Account: accountId,
      Arn: `arn:${partition}:iam::${accountId}:user/local`,
    }),
  };
}
