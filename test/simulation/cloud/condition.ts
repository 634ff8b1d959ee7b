// DynamoDB's conditions and updates, as far as the stores of the bridge use them; anything else is refused.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;
export type Names = Readonly<Record<string, string>>;

/** Whether a condition holds of an item; `{}` stands for an item that is not there. */
export function holds(condition: string, item: Item, names: Names, values: Item): boolean {
  const tokens = condition.match(TOKEN) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const primary = (): boolean => {
    const first = next();
    if (first === '(') {
      const inner = anyOf();
      next();
      return inner;
    }
    if (first === 'attribute_not_exists') {
      next();
      const name = names[next()] ?? '';
      next();
      return item[name] === undefined;
    }
    return compare(item[names[first] ?? ''], next(), values[next()]);
  };
  const allOf = (): boolean => {
    let result = primary();
    for (; tokens[at] === 'AND'; result = primary() && result) at += 1;
    return result;
  };
  function anyOf(): boolean {
    let result = allOf();
    for (; tokens[at] === 'OR'; result = allOf() || result) at += 1;
    return result;
  }
  return anyOf();
}

const TOKEN = /attribute_not_exists|AND|OR|<=|=|[()]|[#:]\w+/g;

/** A comparison with an attribute that is not there is false. */
function compare(left: AttributeValue | undefined, operator: string, right: AttributeValue | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  if (operator === '=') return left.S === right.S && left.N === right.N;
  if (operator === '<=') return Number(left.N) <= Number(right.N);
  throw new Error(`The simulated table does not know the operator ${operator}.`);
}

/** The item after `SET … ADD … REMOVE …`. */
export function updated(update: string, item: Item, names: Names, values: Item): Item {
  const result = { ...item };
  for (const [, verb, clauses = ''] of update.matchAll(/(SET|ADD|REMOVE) ((?:(?!SET|ADD|REMOVE).)+)/g)) {
    for (const clause of clauses.split(',')) {
      const [place, value] = clause.match(/[#:]\w+/g) ?? [];
      const name = names[place ?? ''] ?? '';
      if (verb === 'REMOVE') delete result[name];
      else if (verb === 'SET') result[name] = values[value ?? ''] as AttributeValue;
      else result[name] = { N: String(Number(result[name]?.N ?? 0) + Number(values[value ?? '']?.N)) };
    }
  }
  return result;
}
