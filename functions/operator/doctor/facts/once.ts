/** Remembers what a pure function makes of an object: facts are asked for again and again. */
export function once<Subject extends object, Result>(make: (subject: Subject) => Result): (subject: Subject) => Result {
  const made = new WeakMap<Subject, { result: Result }>();
  return (subject) => {
    const known = made.get(subject) ?? { result: make(subject) };
    made.set(subject, known);
    return known.result;
  };
}
