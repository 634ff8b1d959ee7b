// Which action keys a channel or a destination gets. Pure.
import { createWildcard } from './detail-types.ts';
import { BRIDGE_SOURCE } from './event.ts';

type Filtered = { source: string; detail: { metadata: { sourceId: string; actionKey?: string | null } } };

/**
 * Whether an event is wanted. An action key has to match one of the wildcards, if there are any without `!`,
 * and none of those with it. Notices of the bridge have no action key and are always wanted.
 */
export function createFilter(actionKeys: readonly string[] = []): (event: Filtered) => boolean {
  const wanted = actionKeys.filter((text) => !text.startsWith('!')).map(createWildcard);
  const unwanted = actionKeys.filter((text) => text.startsWith('!')).map((text) => createWildcard(text.slice(1)));
  return (event) => {
    if (event.source === BRIDGE_SOURCE) return true;
    const { actionKey = null } = event.detail.metadata;
    if (actionKey === null) return wanted.length === 0;
    return (wanted.length === 0 || wanted.some((is) => is(actionKey))) && !unwanted.some((is) => is(actionKey));
  };
}
