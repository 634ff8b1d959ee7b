// Whether policies allow a request: an evaluator of ours, of the small part of IAM that the operators' policies use.
// IAM itself is not asked. Sources: "Policy evaluation logic" and "IAM JSON policy elements" in IAM's user guide.
/** One action on one resource, with the values of its condition keys. A key that is absent has no values. */
export type IamRequest = {
  action: string;
  resource: string;
  context: Readonly<Record<string, readonly string[]>>;
};

type Values = string | readonly string[];
/** A statement that allows something. */
export type PolicyStatement = {
  Action: Values;
  Resource: Values;
  Condition?: Readonly<Record<string, Readonly<Record<string, Values>>>>;
};
type Operator = (given: readonly string[], wanted: readonly string[]) => boolean;

/** Throws for a condition operator that it does not know. */
export function isAllowed(
  policies: readonly { Statement: readonly PolicyStatement[] }[],
  request: IamRequest,
): boolean {
  return policies.flatMap(({ Statement }) => Statement).some((statement) => matches(statement, request));
}

function matches(
  { Action, Resource, Condition = {} }: PolicyStatement,
  { action, resource, context }: IamRequest,
): boolean {
  return (
    // Names of actions are compared without their case, ARNs and values with it.
    [Action].flat().some((pattern) => isLike(action.toLowerCase(), pattern.toLowerCase())) &&
    [Resource].flat().some((pattern) => isLike(resource, pattern)) &&
    Object.entries(Condition).every(([name, keys]) =>
      Object.entries(keys).every(([key, wanted]) => operatorOf(name)(context[key] ?? [], [wanted].flat())),
    )
  );
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  'ForAllValues:StringEquals': (given, wanted) => given.every((value) => wanted.includes(value)),
  'ForAllValues:StringLike': (given, wanted) =>
    given.every((value) => wanted.some((pattern) => isLike(value, pattern))),
  Null: (given, [wanted]) => (given.length === 0) === (wanted === 'true'),
  StringEquals: (given, wanted) => given.length > 0 && given.every((value) => wanted.includes(value)),
  StringEqualsIfExists: (given, wanted) => given.every((value) => wanted.includes(value)),
};

function operatorOf(name: string): Operator {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) throw new Error(`the condition operator ${name} is not known here`);
  return operator;
}

/** `*` is any number of characters, `?` one. */
function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}
