// Settings on the command line: `every=PT5M`, `fields.id=/id`, and nothing behind the = for what is left out.
import { Problem } from '../../shared/problem.ts';
import type { Written } from './opened.ts';

/** Throws a Problem for what is no assignment. */
export function withAssignments(settings: Written, texts: readonly string[]): Written {
  return texts.reduce((so, text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new Problem(`${text} is no setting. Write for example every=PT5M`);
    return withValue(so, text.slice(0, at).split('.'), valueOf(text.slice(at + 1)));
  }, settings);
}

function withValue(before: Written, [name = '', ...rest]: readonly string[], value: unknown): Written {
  const { [name]: inner, ...others } = before;
  const next = rest.length === 0 ? value : withValue((inner ?? {}) as Written, rest, value);
  return next === undefined ? others : { ...before, [name]: next };
}

/** JSON where it is a number, a list, an object or quoted; else the text. */
function valueOf(text: string): unknown {
  if (text === '') return undefined;
  if (!/^(?:-?\d+$|[[{"])/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Problem(`${text} is not JSON.`);
  }
}
