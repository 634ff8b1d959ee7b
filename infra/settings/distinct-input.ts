// A check for lists in the settings: no two elements have the same name.
import * as z from 'zod/mini';

/**
 * For a list of objects: refuses an element whose `key`, read by `toName`, equals that of an earlier element.
 * Runs next to all other checks, so elements may be anything; those without a name (null) are left out.
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
  // Without `when`, zod would run the check only after all others have passed.
  return z.check<Element[]>(check, { when: () => true });
}
