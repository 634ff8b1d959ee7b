// What EventBridge would refuse in a pattern: where it stands, what is wrong with it, and what to write instead.

/** Something in a pattern with which PutRule would fail. `path` is where it stands, `instead` a whole sentence for whoever wrote it. */
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

/** The path of a member: `detail.metadata`, or `detail["a.b"]` where the key would not be told from a path. */
export function memberPath(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
