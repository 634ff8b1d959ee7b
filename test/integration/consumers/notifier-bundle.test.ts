import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assemblyOf } from '../../support/operated-bridge.ts';

/** undici has 737 KB, nodemailer 246 KB, the clients of SES and SQS 155 KB. All are loaded with their first use. */
const LIMIT_BYTES = 1_650_000;

it('the bundle of the notifier is within its budget', async () => {
  const [channels = ''] = globSync(join(await assemblyOf({}), 'asset.*/channels.json'));

  expect(statSync(join(channels, '../index.js')).size).toBeLessThan(LIMIT_BYTES);
});
