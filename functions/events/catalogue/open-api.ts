// The schema of an event in OpenAPI 3.0, as EventBridge's registry keeps it and makes code from it.
import type { CataloguedEntry, CataloguedNotice } from './catalogued.ts';

type Node = Readonly<Record<string, unknown>>;

/** What OpenAPI 3.0 has not, or the registry has of its own. */
const LEFT_OUT = new Set(['$schema', '$id', 'if', 'then', 'else', 'title']);

/** The document of one detail type. The event is called AWSEvent, as in the schemas of AWS. */
export function toOpenApi({ type, schema, example }: CataloguedEntry | CataloguedNotice): object {
  const event = converted(schema) as { properties: Record<string, Node> };
  const detail = event.properties['detail'] as { properties: Record<string, Node> };
  const { metadata, ...parts } = detail.properties;
  return {
    openapi: '3.0.0',
    info: { version: '1.0.0', title: type },
    paths: {},
    components: {
      schemas: {
        AWSEvent: {
          ...event,
          'x-amazon-events-detail-type': type,
          'x-amazon-events-source': example.source,
          properties: { ...event.properties, detail: reference(type) },
        },
        [type]: { ...detail, properties: { ...parts, metadata: reference('Metadata') } },
        Metadata: metadata,
      },
    },
  };
}

function reference(name: string): Node {
  return { $ref: `#/components/schemas/${name}` };
}

/** What may be null is `nullable`, and a constant a list of one. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { const: constant, type, anyOf, enum: listed, ...node } = value as Node;
  const kept = Object.entries(node).filter(([name]) => !LEFT_OUT.has(name));
  const rest = Object.fromEntries(
    kept.map(([name, part]) => [name, name === 'properties' ? membersOf(part) : converted(part)]),
  );
  const values = constant === undefined ? listed : [constant];
  const some: unknown = Array.isArray(anyOf) ? anyOf.find(({ type: one }: Node) => one !== 'null') : null;
  const types = [type ?? (values === undefined ? [] : 'string')].flat();
  const first = types.find((one) => one !== 'null');
  return {
    ...(converted(some) as object | null),
    ...(first === undefined ? {} : { type: first }),
    ...(types.includes('null') || anyOf !== undefined ? { nullable: true } : {}),
    ...(values === undefined ? {} : { enum: values }),
    ...rest,
  };
}

/** Names of members are no keywords. */
function membersOf(properties: unknown): Node {
  return Object.fromEntries(Object.entries(properties as Node).map(([name, member]) => [name, converted(member)]));
}
