// What a target gets of an event instead of the event, for templates that are one text.
import type { InputTransformer } from './rule-definition.ts';

/** Fills the places `<name>` of the template. A path that leads nowhere leaves its place empty, as on AWS. */
export function transformed(payload: string, { InputPathsMap, InputTemplate }: InputTransformer): string {
  const event = JSON.parse(payload) as unknown;
  const filled = InputTemplate.replace(/<([^<>]+)>/g, (place, name: string) => {
    const path = InputPathsMap[name];
    return path === undefined ? place : valueAt(event, path.split('.').slice(1));
  });
  return filled;
}

function valueAt(event: unknown, names: readonly string[]): string {
  const value = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], event);
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
