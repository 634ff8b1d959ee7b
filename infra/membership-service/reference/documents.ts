// The generated documents. `npm run reference` writes them, and a test compares them.
import { OPERATIONS } from '../../../functions/membership/operations.ts';
import { personalities } from '../personality/personalities.ts';
import { toOpenApi } from './open-api.ts';
import { toReferencePage } from './page.ts';

/** Texts by path, relative to the project's folder. */
export function referenceDocuments(): Readonly<Record<string, string>> {
  return {
    'docs/openapi.json': `${JSON.stringify(toOpenApi(OPERATIONS), null, 2)}\n`,
    'docs/membership-service-reference.md': toReferencePage(OPERATIONS, personalities),
  };
}
