// The detail types and action keys that a channel or a destination asks for.
import * as z from 'zod/mini';
import { DETAIL_TYPES, NOTICE_TYPES } from './event.ts';
import { choiceInput, patternInput } from '../shared/checked-input.ts';

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

/** Of the action keys of one filter. */
const MAX_WILDCARDS = 50;

/** Wildcards of action keys, those with `!` for what is not wanted. */
export const actionKeysInput = z
  .array(patternInput('a wildcard such as "Contact*" or "!*LoggedIn", of at most 120 characters', /!?[^!]{1,120}/), {
    error: 'is not a list; write wildcards such as "Contact*" or "!*LoggedIn"',
  })
  .check(
    z.minLength(1, { error: 'is empty; leave it out for all action keys' }),
    z.maxLength(MAX_WILDCARDS, { error: `is too long; write at most ${MAX_WILDCARDS} wildcards` }),
  );
