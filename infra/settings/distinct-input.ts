// A rule for lists in the settings: what names their elements is not written twice.
import * as z from 'zod/mini';

/**
 * For a list of objects: none has a `key` that reads, by `toName`, as that of one before it; `complain` tells what is wrong with it.
 * Complains beside whatever else is wrong with the list, so elements may be anything; those without a name are left out.
 */
export function distinctInput<Element>(
  key: keyof Element & string,
  toName: (member: unknown) => string | null,
  complain: (name: string) => string,
) {
  const check = ({ value, issues }: z.core.ParsePayload<Element[]>): void => {
    if (!Array.isArray(value)) return;
    const names = value.map((element: unknown) => toName((element as Partial<Element> | null)?.[key]));
    for (const [index, name] of names.entries())
      if (name !== null && names.indexOf(name) < index)
        issues.push({ code: 'custom', input: name, path: [index, key], message: complain(name) });
  };
  // Otherwise the check would wait until everything else is right.
  return z.check<Element[]>(check, { when: () => true });
}
