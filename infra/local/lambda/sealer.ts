// Distinguishes the sealer from the poller: schedules pass the settings of a source to both.
import type { SealerEnvironment } from '../../../functions/audit/seal/config.ts';
import type { FunctionDefinition } from './function-definition.ts';

const BUCKET = 'AUDIT_BUCKET_NAME' satisfies keyof SealerEnvironment;

/** Whether the function seals sources instead of reading them. */
export function isSealer({ environment }: Pick<FunctionDefinition, 'environment'>): boolean {
  return BUCKET in environment;
}
