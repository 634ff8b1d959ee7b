// How the sealer is told from the poller: a schedule hands the settings of a source to both.
import type { SealerEnvironment } from '../../../functions/audit/seal/config.ts';
import type { FunctionDefinition } from '../cloudformation/resources.ts';

const BUCKET = 'AUDIT_BUCKET_NAME' satisfies keyof SealerEnvironment;

/** Whether a schedule that invokes the function has it seal a source, and not read it. */
export function isSealer({ environment }: Pick<FunctionDefinition, 'environment'>): boolean {
  return BUCKET in environment;
}
