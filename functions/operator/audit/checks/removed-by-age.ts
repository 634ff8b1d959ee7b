// If the bucket removed the beginning of the chain by its age, a later period can still be checked.
import type { Chain, Head } from './chain.ts';
import type { Period } from '../period.ts';

/**
 * Drops the findings of checkpoints before the first existing one if the chain seals a day before the period. Days are
 * sealed in order and amended after their seal, so the missing ones do not concern the period. Checkpoints from a
 * given head on must exist in any case.
 */
export function withoutRemoved(chain: Chain, heads: readonly Pick<Head, 'number'>[], { from }: Period): Chain {
  const { links, findings } = chain;
  const sealed = links.find(({ checkpoint: { kind } }) => kind === 'day')?.checkpoint.day ?? null;
  if (from === null || sealed === null || sealed >= from) return chain;
  const first = Math.min(links[0]?.checkpoint.number ?? 1, ...heads.map(({ number }) => number));
  const isBefore = (name: string): boolean => Number(/\d+$/.exec(name)?.[0]) < first;
  return {
    ...chain,
    first,
    findings: findings.filter(({ kind, name }) => kind !== 'checkpoint-missing' || !isBefore(name)),
  };
}

/** Whether every checkpoint exists that must. */
export function isWhole({ links, first, last }: Pick<Chain, 'links' | 'first' | 'last'>): boolean {
  return links.length === last - first + 1;
}
