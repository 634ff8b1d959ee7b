// The audit copy in cdk.json: how long nothing in it can be removed, and what happens to it after that.
import * as z from 'zod/mini';
import { choiceInput, integerInput, objectInput } from '../../functions/shared/checked-input.ts';

/** S3's limit of a retention: a hundred years. */
const MAX_DAYS = 36_500;

/** Firehose's limits of a buffer's age. */
const BUFFER_SECONDS = { min: 0, max: 900 };

/** S3's modes of Object Lock, in lower case. */
const LOCK_MODES = ['governance', 'compliance'] as const;

const days = integerInput(1, MAX_DAYS);

const fields = objectInput({
  lockDays: z._default(days, 365),
  lockMode: z._default(choiceInput(LOCK_MODES), 'governance'),
  expireAfterDays: z.optional(days),
  coldAfterDays: z.optional(days),
  bufferSeconds: z._default(integerInput(BUFFER_SECONDS.min, BUFFER_SECONDS.max), 60),
});

/** The audit copy as the settings have it. */
export type AuditSettings = z.output<typeof fields>;

export const auditInput = fields.check(({ value, issues }) => {
  const { lockDays, expireAfterDays = Infinity, coldAfterDays = 0 } = value;
  const complain = (key: keyof AuditSettings, message: string): void =>
    void issues.push({ code: 'custom', input: value[key], path: [key], message });
  if (expireAfterDays < lockDays)
    complain('expireAfterDays', 'is less than lockDays, before which nothing can be removed; write at least as many');
  if (coldAfterDays >= expireAfterDays)
    complain('coldAfterDays', 'is not less than expireAfterDays, after which nothing is left; write fewer');
});
