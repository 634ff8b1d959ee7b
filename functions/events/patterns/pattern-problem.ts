// What EventBridge would refuse in a pattern.

/** Something for which PutRule would fail. `path` says where it is; `instead` is a sentence that says what to write. */
export class PatternProblem extends Error {
  override readonly name: string = 'PatternProblem';
  readonly path: string;
  readonly instead: string;

  constructor(path: string, problem: string, instead: string) {
    super(problem);
    this.path = path;
    this.instead = instead;
  }
}

/** Throws a PatternProblem. */
export function refuse(path: string, problem: string, instead: string): never {
  throw new PatternProblem(path, problem, instead);
}

/** The path of a member: `detail.metadata`, or `detail["a.b"]` if the key could be mistaken for a path. */
export function memberPath(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
