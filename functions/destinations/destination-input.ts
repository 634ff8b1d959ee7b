// A destination as cdk.json and `destinations apply` have it, checked before anything is sent there.
import * as z from 'zod/mini';
import { compilePattern } from '../events/patterns/event-pattern.ts';
import { actionKeysInput, detailTypesInput } from '../events/filter-input.ts';
import {
  booleanInput,
  choiceInput,
  integerInput,
  objectInput,
  patternInput,
  textInput,
} from '../shared/checked-input.ts';
import { Problem } from '../shared/problem.ts';
import { refusalOfUrl } from './address-guard.ts';
import type { Destination, DestinationRules } from './destination.ts';

/** Names, as commands and logs have them. */
export const DESTINATION_NAME = /[a-z][a-z0-9-]{0,30}/;
const MAX_PER_SECOND = 50;
const DEFAULT_PER_SECOND = 10;
const MAX_HEADERS = 10;

/** Of HTTP itself or of the signature: nobody may set them. */
const OURS =
  /^(?:webhook-.*|content-.*|host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding|user-agent)$/;

const headerName = textInput('the name of a header such as "x-api-key", in lower case', (text) => {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(text)) throw new RangeError('does not have the right form');
  if (OURS.test(text)) throw new RangeError('is a header of the sender');
});

const MAX_HEADER_VALUE = 2_048;

/** Why a static header cannot have a value, completing "The value of x-key …"; null: it can. Repeats none of it. */
export function headerValueProblem(value: string): string | null {
  if (value.length > MAX_HEADER_VALUE) return `is longer than ${MAX_HEADER_VALUE} characters`;
  // Others are cut or refused on their way, each by another rule.
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    return 'is empty, or has characters other than those of ASCII, or a space at an end';
  return null;
}

const pattern = z
  .record(z.string(), z.unknown(), { error: 'is not an object; write a pattern of EventBridge' })
  .check(({ value, issues }) => {
    try {
      compilePattern(value, 'of this destination');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      issues.push({ code: 'custom', input: value, message: error.message });
    }
  });

/** Where it may point is asked with `rules`; `allowedHosts` of null allows all. */
export function destinationInput(rules: Pick<DestinationRules, 'allowedHosts' | 'allowedPorts' | 'loopback'>) {
  return objectInput({
    name: patternInput('lower-case letters, digits and hyphens, a letter first, at most 31', DESTINATION_NAME),
    url: textInput('an https address', (text) => {
      const refused = refusalOfUrl(text, rules);
      if (refused !== null) throw new RangeError(refused);
    }),
    payload: z._default(choiceInput(['full', 'thin']), 'full'),
    detailTypes: z.optional(detailTypesInput('send')),
    actionKeys: z.optional(actionKeysInput),
    sources: z.optional(
      z
        .array(textInput('the sourceId of a source'), { error: 'is not a list; write the sources by their id' })
        .check(z.minLength(1, { error: 'is empty; leave it out for all sources' })),
    ),
    pattern: z.optional(pattern),
    headers: z._default(
      z
        .array(headerName, { error: 'is not a list; write names of headers' })
        .check(z.maxLength(MAX_HEADERS, { error: `is too long; write at most ${MAX_HEADERS} names` })),
      [],
    ),
    maxPerSecond: z._default(integerInput(1, MAX_PER_SECOND), DEFAULT_PER_SECOND),
    replays: z._default(booleanInput(), false),
  });
}

/** As it is written: what is left out has its default. */
export type WrittenDestination = z.input<ReturnType<typeof destinationInput>>;

/** A checked one as the deliverer has it. */
export function toDestination(read: z.output<ReturnType<typeof destinationInput>>): Destination {
  const { detailTypes = null, actionKeys = null, sources = null, pattern = null, ...rest } = read;
  return { ...rest, detailTypes, actionKeys, sources, pattern };
}
