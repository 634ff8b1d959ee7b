// Which action keys a channel reports. Pure.
import { createWildcard } from '../../../events/detail-types.ts';
import type { TypedEvent } from '../../../events/index.ts';

/**
 * Whether a channel reports an event. An action key has to match one of the wildcards, if there are any without `!`,
 * and none of those with it. Notices of the bridge have no action key and are always reported.
 */
export function createFilter(actionKeys: readonly string[] = []): (event: TypedEvent) => boolean {
  const wanted = actionKeys.filter((text) => !text.startsWith('!')).map(createWildcard);
  const unwanted = actionKeys.filter((text) => text.startsWith('!')).map((text) => createWildcard(text.slice(1)));
  return (event) => {
    if (event.source === 'membership.bridge') return true;
    const { actionKey } = event.detail.metadata;
    if (actionKey === null) return wanted.length === 0;
    return (wanted.length === 0 || wanted.some((is) => is(actionKey))) && !unwanted.some((is) => is(actionKey));
  };
}
