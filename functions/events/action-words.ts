// The words of an action key in any notation, and whether they describe a change.

/** Runs of capitals (`API` in `APIKey`), capitalised and lower-case words, scripts without case, digits. */
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

/**
 * The words of `text` in lower case and the singular: `ContactsCreated`, `contact.created`, `CONTACT_CREATED` and
 * `contacts-created` are all `contact`, `created`.
 */
export function toWords(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => toSingular(word.toLowerCase()));
}

/** Good enough for English nouns. Where it is wrong, it is wrong on both sides of a comparison. */
function toSingular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, 'y').replace(/(?<=ss|x|z|ch|sh)es$|s$/, '');
}

/** Words of exports, and of reading in the past tense: with one of these an action is never a change. */
const NEVER_A_CHANGE = toSet(
  'export exported exporting download downloaded viewed listed searched fetched retrieved browsed queried authenticated',
);
/** Signing in and out in one word, also after another word without a separator (`memberlogin`). */
const SIGNS_IN_OR_OUT = /(?:log|sign)(?:in|on|out|off)$/;
/** Signing in and out in two words: `LoggedIn`, `SIGN_OUT`. */
const SIGN_VERBS = toSet('log logged sign signed');
const SIGN_DIRECTIONS = toSet('in on out off');
/** Words of reading, unless another word describes a change (`SelectListUpdated`, `SavedSearchDeleted`). */
const READS = toSet('view get list search read fetch retrieve browse query find show');
/** Stems of regular verbs. Words such as `post` and `comment` are missing because they are nouns of this service. */
const CHANGE =
  /^(?:creat|add|insert|updat|edit|modif|chang|delet|remov|archiv|restor|import|merg|sav|assign|unassign|approv|reject|cancel|renew|expir|upgrad|downgrad|activat|deactivat|reactivat|enabl|disabl|suspend|submit|publish|unpublish|subscrib|unsubscrib|join|invit|upload|refund|register|confirm|accept|declin|mov|reset|revok|grant|replac|clos|reopen|link|unlink)(?:e|es|s|ed|d|ied|y|ing|ted|ting|led|ling)?$/;
const IRREGULAR_CHANGES = toSet('set paid sent put patch left made withdrawn');

/** Whether an action changes nothing: a login, a read or an export. `words` are those of `toWords`. */
export function changesNothing(words: readonly string[]): boolean {
  if (words.some((word) => NEVER_A_CHANGE.has(word)) || signsInOrOut(words)) return true;
  return words.some((word) => READS.has(word)) && !words.some(isChange);
}

function signsInOrOut(words: readonly string[]): boolean {
  return words.some(
    (word, index) =>
      SIGNS_IN_OR_OUT.test(word) || (SIGN_VERBS.has(word) && SIGN_DIRECTIONS.has(words[index + 1] ?? '')),
  );
}

function isChange(word: string): boolean {
  return CHANGE.test(word) || IRREGULAR_CHANGES.has(word);
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
