import { expect, it } from 'vitest';
import { toReport } from '../../../../../functions/operator/audit/report/report.ts';
import { aCopy, check } from '../a-copy.ts';

it('takes a head that is older than the chain for no proof that the chain ends where the copy does, and prints the newer end', async () => {
  const { head: newest } = await check(aCopy());
  const { checkpoints } = aCopy();
  const second = checkpoints[2]!;

  const result = await check(aCopy(), { head: { number: 2, sha256: second.previousSha256! } });

  expect(result).toMatchObject({ findings: [], headFrom: null, head: newest });
  expect(toReport(result).replaceAll(/\s+/g, ' ')).toContain(`if checkpoint ${newest?.number} is the last one`);
});
