// STS as its clients call it: who calls.
import type { Place } from '../cloudformation/template.ts';
import { jsonOperations, type LocalService, NOTHING_TO_CLOSE } from '../platform/service.ts';

export function stsService({ place }: { place: Place }): LocalService<Place> {
  const { accountId, partition } = place;
  const operations = jsonOperations({
    GetCallerIdentity: () => ({
      UserId: 'AIDALOCAL',
      Account: accountId,
      Arn: `arn:${partition}:iam::${accountId}:user/local`,
    }),
  });
  return { operations, resources: place, close: NOTHING_TO_CLOSE };
}
