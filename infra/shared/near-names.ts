// The names that somebody may have meant.
import { isNear } from '../../functions/shared/checked-input.ts';

const MAX_NAMES = 4;
/** Shorter parts are in too many names. */
const MIN_PART = 3;

/** The known names that look like the written one, the nearest first: a slip, a beginning, a part, a resource. */
export function nearNames(written: string, known: readonly string[]): string[] {
  const text = written.toLowerCase();
  const resource = resourceOf(written);
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => isNear(text, name.toLowerCase()),
    (name) => name.toLowerCase().startsWith(text),
    (name) => text.length >= MIN_PART && name.toLowerCase().includes(text),
    (name) => isNear(resource, resourceOf(name)),
  ];
  const found = text === '' ? [] : tests.flatMap((test) => known.filter(test));
  return [...new Set(found)].slice(0, MAX_NAMES);
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(written: string, known: readonly string[]): string {
  const near = nearNames(written, known);
  return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
}

/** `payment` of `PaymentPosted`. */
function resourceOf(name: string): string {
  return (/^[A-Z]?[a-z]+/.exec(name)?.[0] ?? name).toLowerCase();
}
