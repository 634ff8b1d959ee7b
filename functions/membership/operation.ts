// An operation of the interface as data, and the functions that the operation table is written with.

/** `json` is the filter `q`: JSON, sent as base64. */
export type ParameterType = 'uuid' | 'int32' | 'string' | 'date-time' | 'json';

export type QueryParameter = { readonly name: string; readonly type: ParameterType };

/** `type` is the document's name for the body's type; null where it shows none. */
export type BodyShape = { readonly encoding: 'json' | 'form'; readonly type: string | null };

/**
 * The answer of a success. `envelopeList` and `envelopeOne`: an envelope whose data is a list of `type`, or one `type`.
 * `array` and `one`: the same without an envelope. `object`: a JSON object of unknown fields. `none`: no content.
 * `notShown`: JSON of any shape.
 */
export type AnswerShape = {
  readonly status: 200 | 204;
  readonly kind: 'envelopeList' | 'envelopeOne' | 'array' | 'one' | 'object' | 'none' | 'notShown';
  /** The document's name for the type; null where it shows none. */
  readonly type: string | null;
};

/**
 * How a list is paged: by requestContinuation, by offset or by page number. `unstated`: whole or by offset, because its
 * row names no parameter and rule 8 does (Assumption A24). `none`: not paged, or not a list.
 */
export type Paging = 'continuation' | 'offset' | 'page' | 'unstated' | 'none';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Operation = {
  readonly name: string;
  /** The client has one group of methods for each resource. */
  readonly resource: string;
  readonly method: Method;
  /** With `{parameters}`, each a UUID and required. */
  readonly path: string;
  /** All optional. */
  readonly query: readonly QueryParameter[];
  /** Those that rule 8 names for lists in general, and the row of this one does not. Never sent unasked. */
  readonly general: readonly QueryParameter[];
  /** Required where there is one. */
  readonly body: BodyShape | null;
  readonly answer: AnswerShape;
  readonly paging: Paging;
  /** `path`: only method, path and purpose are known. */
  readonly documented: 'shape' | 'path';
  /** `none`: needs no bearer token. */
  readonly authorization: 'bearer' | 'none';
  /** Documented statuses of failures. */
  readonly errors: readonly number[];
  /** In a few words. */
  readonly purpose: string;
};

type Rest = Partial<
  Pick<Operation, 'query' | 'general' | 'body' | 'paging' | 'documented' | 'authorization' | 'errors'>
>;

/** An operation with the literal types from which the client's methods are derived. */
type Named<Name, Resource, Route, Answer, More extends Rest> = Omit<
  Operation,
  'name' | 'resource' | 'method' | 'path' | 'query' | 'general' | 'body' | 'paging' | 'answer'
> & {
  readonly name: Name;
  readonly resource: Resource;
  readonly method: Route extends `${infer Verb extends Method} ${string}` ? Verb : never;
  readonly path: Route extends `${Method} ${infer Path}` ? Path : never;
  readonly query: Own<More, 'query', readonly []>;
  readonly general: Own<More, 'general', readonly []>;
  readonly body: Own<More, 'body', null>;
  readonly paging: Own<More, 'paging', 'none'>;
  readonly answer: Answer;
};

type Own<More, Key, Otherwise> = Key extends keyof More ? More[Key] : Otherwise;

/**
 * One row. `route` is method and path as the document writes them. Defaults of `rest`: no query, no body, not paged, a
 * documented shape, a bearer token, 401 and 403.
 */
export function operation<
  const Name extends string,
  const Resource extends string,
  const Route extends `${Method} /${string}`,
  const Answer extends AnswerShape,
  const More extends Rest = { readonly paging: 'none' },
>(
  name: Name,
  resource: Resource,
  route: Route,
  answer: Answer,
  purpose: string,
  rest?: More,
): Named<Name, Resource, Route, Answer, More> {
  const [method, path] = route.split(' ') as [Method, string];
  const row: Operation = {
    name,
    resource,
    method,
    path,
    query: [],
    general: [],
    body: null,
    answer,
    paging: 'none',
    documented: 'shape',
    authorization: 'bearer',
    errors: [401, 403],
    purpose,
    ...rest,
  };
  return row as Named<Name, Resource, Route, Answer, More>;
}

export const envelopeList = <const T extends string>(type: T) => ({ status: 200, kind: 'envelopeList', type }) as const;
export const envelopeOne = <const T extends string>(type: T) => ({ status: 200, kind: 'envelopeOne', type }) as const;
export const arrayOf = <const T extends string>(type: T) => ({ status: 200, kind: 'array', type }) as const;
export const one = <const T extends string>(type: T) => ({ status: 200, kind: 'one', type }) as const;
export const jsonObject = { status: 200, kind: 'object', type: null } as const;
export const noContent = { status: 204, kind: 'none', type: null } as const;
/** The document does not even show the status. 200 is assumed, and any success is accepted. */
export const notShown = { status: 200, kind: 'notShown', type: null } as const;

export const takes = <const T extends string>(type: T) => ({ body: { encoding: 'json', type } }) as const;

/** `pageSize int32` is the parameter of that name and type. */
type Parameter = `${string} ${ParameterType}`;
type Parsed<Text> = Text extends `${infer Name} ${infer Type extends ParameterType}`
  ? { readonly name: Name; readonly type: Type }
  : never;

/** `names` with their types, such as `pageSize int32`. */
export const asks = <const Names extends readonly Parameter[]>(...names: Names) => ({
  query: names.map((text) => {
    const [name, type] = text.split(' ');
    return { name, type };
  }) as unknown as { readonly [Each in keyof Names]: Parsed<Names[Each]> },
});
