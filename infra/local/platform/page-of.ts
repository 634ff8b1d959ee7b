// A page of a list, as AWS answers with one.
import { AwsRefusal } from './aws-call.ts';

/** Of the input. */
type Paged = { MaxResults?: unknown; NextToken?: unknown };

/**
 * At most `MaxResults` members in the order of their keys, and the token of what follows, absent after the last. The
 * token holds whatever is added or removed in between. Throws `refusal` for numbers below 1 or above `most`, and
 * tokens that are none.
 */
export function pageOf<Member>(
  all: readonly Member[],
  { MaxResults, NextToken }: Paged,
  {
    keyOf,
    most,
    refusal,
  }: { keyOf: (member: Member) => string; most: number; refusal: { size: string; token: string } },
): { page: Member[]; NextToken?: string } {
  const size = Number(MaxResults ?? most);
  if (!Number.isInteger(size) || size < 1 || size > most)
    throw new AwsRefusal(refusal.size, `MaxResults must be between 1 and ${most}.`);
  const after = typeof NextToken === 'string' ? Buffer.from(NextToken, 'base64').toString('utf8') : '';
  if (NextToken !== undefined && Buffer.from(after).toString('base64') !== NextToken)
    throw new AwsRefusal(refusal.token, 'The NextToken is invalid.');
  const sorted = all.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const rest = sorted.filter((member) => keyOf(member) > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  if (last === undefined || rest.length === page.length) return { page };
  return { page, NextToken: Buffer.from(keyOf(last)).toString('base64') };
}
