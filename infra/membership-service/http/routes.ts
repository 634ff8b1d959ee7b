// Finds the operation of a request.
import type { Operation } from '../../../functions/membership/operation.ts';
import { OPERATIONS, type OperationName } from '../../../functions/membership/operations.ts';
import { Refused } from '../answers.ts';

export type NamedOperation = Operation & { readonly name: OperationName };

export type Found = {
  operation: NamedOperation;
  /** The values of the path's {parameters}, as sent. */
  parameters: Readonly<Record<string, string>>;
};

type Route = { pattern: RegExp; byMethod: ReadonlyMap<string, NamedOperation> };

const routes = toRoutes(OPERATIONS);
const NO_PARAMETERS = {};

/** Finds the operation of a request. Throws Refused: 404 for an unknown path, 405 with `Allow` for another method. */
export function findOperation(method: string, path: string): Found {
  const { byMethod, parameters } = findRoute(path);
  const operation = byMethod.get(method);
  if (!operation)
    throw new Refused(405, `This path does not take ${method}.`, { allow: [...byMethod.keys()].join(', ') });
  return { operation, parameters };
}

function findRoute(path: string): Pick<Route, 'byMethod'> & Pick<Found, 'parameters'> {
  const same = routes.get(path);
  if (same && !path.includes('{')) return { ...same, parameters: NO_PARAMETERS };
  for (const { pattern, byMethod } of routes.values()) {
    const match = pattern.exec(path);
    if (match) return { byMethod, parameters: { ...match.groups } };
  }
  throw new Refused(404, 'There is nothing at this path.');
}

function toRoutes(operations: readonly NamedOperation[]): ReadonlyMap<string, Route> {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return new Map(
    [...byPath].map(([path, rows]) => [
      path,
      { pattern: toPattern(path), byMethod: new Map(rows.map((row) => [row.method, row])) },
    ]),
  );
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/gu, '(?<$1>[^/]+)')}$`, 'u');
}
