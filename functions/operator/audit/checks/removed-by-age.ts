// The beginning of the chain where the bucket has removed it by its age: no finding for a period that begins later.
import type { Chain, Head } from './chain.ts';
import type { Period } from '../period.ts';

/**
 * The chain without the findings of checkpoints before the first one that is there, if the chain seals a day before the period: days are sealed in order, and what comes
 * late for one follows its seal, so those that are gone say nothing of the period. A head is held to all the same, and what lies before it must be there from it on.
 */
export function withoutRemoved(chain: Chain, heads: readonly Pick<Head, 'number'>[], { from }: Period): Chain {
  const { links, findings } = chain;
  const sealed = links.find(({ checkpoint: { kind } }) => kind === 'day')?.checkpoint.day ?? null;
  if (from === null || sealed === null || sealed >= from) return chain;
  const first = Math.min(links[0]?.checkpoint.number ?? 1, ...heads.map(({ number }) => number));
  const isBefore = (name: string): boolean => Number(name.slice('checkpoint '.length)) < first;
  return {
    ...chain,
    first,
    findings: findings.filter(({ kind, name }) => kind !== 'checkpoint-missing' || !isBefore(name)),
  };
}

/** Whether every checkpoint is there that must be. */
export function isWhole({ links, first, last }: Pick<Chain, 'links' | 'first' | 'last'>): boolean {
  return links.length === last - first + 1;
}
