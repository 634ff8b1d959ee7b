// The settings of a channel that say which changes it reports, and how: checked in cdk.json and by the notifier.
import * as z from 'zod/mini';
import { choiceInput, objectInput, patternInput, textInput } from '../../shared/checked-input.ts';
import { COUNTED_WORDS, WORDS } from './what-to-say/phrases.ts';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export type Weekday = (typeof WEEKDAYS)[number];

export const weekdayInput = choiceInput(WEEKDAYS);

const MAX_PHRASES = 200;
const MAX_TEXT = 100;
const MAX_PATTERNS = 50;
const MAX_SHOWN = 10;

const ONE_LINE = `one line of 1 to ${MAX_TEXT} characters`;
const line = (placeholder = '') => {
  const remedy = placeholder === '' ? ONE_LINE : `${ONE_LINE} with ${placeholder} in it`;
  return textInput(remedy, (text) => {
    if (text.trim() === '' || text.length > MAX_TEXT || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
      throw new RangeError('is not such a line');
    if (!text.includes(placeholder)) throw new RangeError(`has no ${placeholder}`);
  });
};

const plurals = {
  zero: z.optional(line()),
  one: z.optional(line()),
  two: z.optional(line()),
  few: z.optional(line()),
  many: z.optional(line()),
};

const phrase = z.union([line(), objectInput({ text: line(), ...plurals, other: z.optional(line('{count}')) })], {
  error: `is no phrase; write a text such as "{name} joined", or { "text": …, "one": …, "other": "{count} …" }`,
});

const locale = textInput('a language tag such as "en-GB" or "nl-NL"', (tag) => {
  try {
    if (Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0) return;
  } catch {
    // Not a language tag at all.
  }
  throw new RangeError('is not a locale that this runtime knows');
});

const pointer = patternInput('a JSON pointer such as "/member/name"', /(?:\/(?:[^~/]|~[01])+)+/);

function keyed<Shape extends object, Value>(shape: Shape, value: Value): Record<keyof Shape, Value> {
  return Object.fromEntries(Object.keys(shape).map((key) => [key, value])) as Record<keyof Shape, Value>;
}

/** Of a channel, or of all channels. */
export const wordingShape = {
  locale: z.optional(locale),
  phrases: z.optional(
    z
      .record(patternInput('an action key of 1 to 120 characters', /[^]{1,120}/), phrase, {
        error: 'is not an object; write the phrases by their action keys',
      })
      .check(({ value, issues }) => {
        if (Object.keys(value).length <= MAX_PHRASES) return;
        issues.push({ code: 'custom', input: value, message: `has too many phrases; write at most ${MAX_PHRASES}` });
      }),
  ),
  words: z.optional(
    objectInput({
      ...keyed(WORDS, z.optional(line())),
      each: z.optional(line('{items}')),
      memberWithId: z.optional(line('{id}')),
      ...keyed(COUNTED_WORDS, z.optional(objectInput({ ...plurals, other: line('{count}') }))),
    }),
  ),
};

/** Of a channel. */
export const readingShape = {
  actionKeys: z.optional(
    z
      .array(
        patternInput('a wildcard such as "Contact*" or "!*LoggedIn", of at most 120 characters', /!?[^!]{1,120}/),
        {
          error: 'is not a list; write wildcards such as "Contact*" or "!*LoggedIn"',
        },
      )
      .check(
        z.minLength(1, { error: 'is empty; leave it out for all action keys' }),
        z.maxLength(MAX_PATTERNS, { error: `is too long; write at most ${MAX_PATTERNS} wildcards` }),
      ),
  ),
  nameField: z.optional(pointer),
  show: z.optional(
    z
      .array(
        objectInput({
          label: patternInput('one line of 1 to 40 characters', /[^\p{Cc}\p{Zl}\p{Zp}]{1,40}/u),
          field: pointer,
        }),
        {
          error: 'is not a list; write fields such as { "label": "Amount", "field": "/amount" }',
        },
      )
      .check(z.maxLength(MAX_SHOWN, { error: `is too long; write at most ${MAX_SHOWN} fields` })),
  ),
};
