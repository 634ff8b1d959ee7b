// The words of an action key, whatever way it is written, and whether they tell of a change at all.

/** Runs of capitals (`API` in `APIKey`), capitalised and small words, scripts without case, digits. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

/**
 * The words of `text`, in lower case and the singular: `ContactsCreated`, `contact.created`, `CONTACT_CREATED` and
 * `contacts-created` all give `contact`, `created`.
 */
export function toWords(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => toSingular(word.toLowerCase()));
}

/** Good enough for English nouns, and the same on both sides of a comparison where it is wrong. */
function toSingular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, 'y').replace(/(?<=ss|x|z|ch|sh)es$|s$/, '');
}

/** Words of taking data away, and of reading in the past tense: no other word makes a change of these. */
const NEVER_A_CHANGE = toSet(
  'export exported exporting download downloaded viewed listed searched fetched retrieved browsed queried authenticated',
);
/** Signing in and out in one word, with another before it where nothing parts them (`memberlogin`). */
const SIGNS_IN_OR_OUT = /(?:log|sign)(?:in|on|out|off)$/;
/** Verbs of signing in and out that are written with a second word: `LoggedIn`, `SIGN_OUT`. */
const SIGN_VERBS = toSet('log logged sign signed');
const SIGN_DIRECTIONS = toSet('in on out off');
/** Words that tell of reading unless another word tells of a change (`SelectListUpdated`, `SavedSearchDeleted`). */
const READS = toSet('view get list search read fetch retrieve browse query find show');
/** Stems of regular verbs; `post`, `comment` and the like are left out because they are nouns of this service too. */
const CHANGE =
  /^(?:creat|add|insert|updat|edit|modif|chang|delet|remov|archiv|restor|import|merg|sav|assign|unassign|approv|reject|cancel|renew|expir|upgrad|downgrad|activat|deactivat|reactivat|enabl|disabl|suspend|submit|publish|unpublish|subscrib|unsubscrib|join|invit|upload|refund|register|confirm|accept|declin|mov|reset|revok|grant|replac|clos|reopen|link|unlink)(?:e|es|s|ed|d|ied|y|ing|ted|ting|led|ling)?$/;
const IRREGULAR_CHANGES = toSet('set paid sent put patch left made withdrawn');

/** True for logins, reads and exports: actions that leave everything as it was. `words` as `toWords` gives them. */
export function isQuiet(words: readonly string[]): boolean {
  if (words.some((word) => NEVER_A_CHANGE.has(word)) || signsInOrOut(words)) return true;
  return words.some((word) => READS.has(word)) && !words.some(tellsOfChange);
}

function signsInOrOut(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      SIGNS_IN_OR_OUT.test(word) || (SIGN_VERBS.has(word) && SIGN_DIRECTIONS.has(words[index + 1] ?? '')),
  );
}

function tellsOfChange(word: string): boolean {
  return CHANGE.test(word) || IRREGULAR_CHANGES.has(word);
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
