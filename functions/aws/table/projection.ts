// Which attributes a read asks for. A policy that limits attributes refuses a read that names none.
import { ATTRIBUTES, TABLE_KEYS } from './state-layout.ts';

const NAMES = { ...ATTRIBUTES, sk: TABLE_KEYS.sort, expiresAt: TABLE_KEYS.timeToLive };

/** The parts of a GetItem or Query that ask for these attributes only. */
export function projectionOf(...names: (keyof typeof NAMES)[]): {
  ProjectionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
} {
  return {
    ProjectionExpression: names.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, NAMES[name]])),
  };
}
