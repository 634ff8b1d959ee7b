// API destinations in cdk.json: which events EventBridge itself posts, and to which address.
import * as z from 'zod/mini';
import { integerInput, objectInput, patternInput, textInput } from '../../functions/shared/checked-input.ts';
import { detailTypesInput } from '../../functions/events/filter-input.ts';
import { distinctInput } from './distinct-input.ts';

/** EventBridge's default, and its quota until AWS raises it. */
const DEFAULT_RATE = 300;

const apiDestination = objectInput({
  name: patternInput('lower-case letters, digits and hyphens, a letter first, at most 31', /[a-z][a-z0-9-]{0,30}/),
  url: textInput('an https address', (text) => {
    if (!URL.canParse(text) || new URL(text).protocol !== 'https:') throw new RangeError('is no https address');
    const { username, password, hash } = new URL(text);
    if (username !== '' || password !== '' || hash !== '') throw new RangeError('holds a password or a fragment');
    // EventBridge reads an asterisk in an address as a path parameter.
    if (text.includes('*')) throw new RangeError('holds an asterisk');
  }),
  detailTypes: detailTypesInput('post'),
  apiKeyHeader: patternInput('the name of a header such as "x-api-key"', /[A-Za-z][A-Za-z0-9-]{0,63}/),
  maxPerSecond: z._default(integerInput(1, DEFAULT_RATE), DEFAULT_RATE),
});

/** A receiver as the settings have it. */
export type ApiDestinationSettings = z.output<typeof apiDestination>;

/** `consumers` are names of consumers, which have alarms of such names too. A test compares them with the template. */
export function apiDestinationsInput(consumers: readonly string[]) {
  return z.array(apiDestination, { error: 'is not a list; write a list of receivers' }).check(
    distinctInput(
      'name',
      (name) => (typeof name === 'string' ? name : null),
      () => 'is taken by another receiver; write one of its own, because its queue is named after it',
    ),
    ({ value, issues }) => {
      const taken = [...consumers, 'notifier'];
      const message = 'is taken by a part of the bridge; write another one, because its alarm is named after it';
      for (const [index, { name }] of value.entries())
        if (taken.includes(name)) issues.push({ code: 'custom', input: name, path: [index, 'name'], message });
    },
  );
}
