// The audit copy in cdk.json: how long nothing in it can be removed, and when it expires after that.
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
  bufferSeconds: z._default(integerInput(BUFFER_SECONDS.min, BUFFER_SECONDS.max), 60),
});

/** The audit copy as the settings have it. */
export type AuditSettings = z.output<typeof fields>;

export const auditInput = fields.check(({ value, issues }) => {
  const { lockDays, expireAfterDays = Infinity } = value;
  if (expireAfterDays >= lockDays) return;
  const message = 'is less than lockDays, before which nothing can be removed; write at least as many';
  issues.push({ code: 'custom', input: expireAfterDays, path: ['expireAfterDays'], message });
});
