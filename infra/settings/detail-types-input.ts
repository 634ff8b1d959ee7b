// The detail types that a channel or a receiver asks for.
import * as z from 'zod/mini';
import { DETAIL_TYPES, NOTICE_TYPES } from '../../functions/events/event.ts';
import { choiceInput } from '../../functions/shared/checked-input.ts';

/** At least one, each once: all of them together fit into the pattern of a rule. `purpose` completes "to …". */
export function detailTypesInput(purpose: string) {
  return z
    .array(choiceInput([...DETAIL_TYPES, ...NOTICE_TYPES]), {
      error: `is missing or not a list; write the detail types to ${purpose}`,
    })
    .check(z.minLength(1, { error: 'is empty; write at least one detail type' }), ({ value, issues }) => {
      for (const [index, type] of value.entries())
        if (value.indexOf(type) < index)
          issues.push({ code: 'custom', input: type, path: [index], message: 'is in the list already; remove it' });
    });
}
