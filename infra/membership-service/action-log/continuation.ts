// Continuations: the position of a walk as an opaque text that the caller sends back.
import { Refused } from '../answers.ts';
import type { Place } from './entry-order.ts';
import type { Personality } from '../personality/personality.ts';

export type WalkPosition = {
  /** 1 is the first page. */
  page: number;
  /** The last entry shown; null before the first. */
  after: Place | null;
  /** Entries shown so far, where positions are by offset; 0 elsewhere. */
  shown: number;
  /** Number of the walk's shuffle; 0 without a random order. */
  shuffle: number;
  /** Hash of the walk's other parameters. */
  query: string;
};

export type Continuations = {
  /** The position of a token. Throws Refused if it was altered, has expired or belongs to another query. */
  open(token: string, query: string, now: number): WalkPosition;
  /** The token for the next page; null at the end. `next` is the position after this page, `sent` the old token. */
  give(next: WalkPosition, options: { more: boolean; sent: string | null; now: number }): string | null;
};

const MAX_SESSIONS = 1000;

export function createContinuations({ continuation }: Pick<Personality, 'continuation'>): Continuations {
  const { kind, refusedWith } = continuation;
  const wrapping = createWrapping(continuation);
  const sessions = createSessions(wrapping);
  const neverEnds = kind === 'neverNull' || continuation.atEnd === 'kept';

  const refuse = (why: string): never => {
    throw new Refused(refusedWith, `requestContinuation ${why}.`);
  };
  const give = (position: WalkPosition, sent: string | null, now: number): string =>
    kind === 'sameToken'
      ? sessions.keep(position, sent)
      : wrapping.toToken(writePosition(position, kind === 'expiring' ? now : 0));

  return {
    open: (token, query, now) => {
      const opened = kind === 'sameToken' ? sessions.find(token) : readPosition(wrapping.toPayload(token));
      if (!opened) return refuse('is not one that this service has given');
      if (kind === 'expiring' && now - opened.issuedAt >= (continuation.lifetimeMs ?? 0)) return refuse('has expired');
      if (continuation.boundToQuery && opened.position.query !== query) return refuse('belongs to another query');
      return { ...opened.position, query };
    },
    give: (next, { more, sent, now }) => {
      if (kind === 'none') return null;
      if (more || neverEnds) return give(next, sent, now);
      if (kind === 'cyclic') return give({ ...next, page: 1, after: null, shown: 0 }, sent, now);
      if (sent !== null) sessions.end(sent);
      return null;
    },
  };
}

type Opened = { position: WalkPosition; issuedAt: number };

type Wrapping = {
  toToken(payload: string): string;
  /** Null for a token that differs in any letter from the one that its payload would give. */
  toPayload(token: string): string | null;
};

/** Puts the alphabet before and after a payload, and pads the token to its length. */
function createWrapping({ alphabet, place, length }: Personality['continuation']): Wrapping {
  // A header carries visible ASCII; Node refuses other characters, or the receiver reads them differently.
  const head = place.in === 'header' ? alphabet.replaceAll(/[^!-}]/gu, '') : alphabet;
  const characters = Array.from(head === '' ? 'x' : head);
  const toToken = (payload: string): string => {
    let token = `${head}${payload}~${head}`;
    for (let at = 0; token.length < length; at += 1) token += characters[at % characters.length] ?? '';
    return token;
  };
  return {
    toToken,
    toPayload: (token) => {
      const payload = token.slice(head.length, token.indexOf('~'));
      return toToken(payload) === token ? payload : null;
    },
  };
}

function writePosition({ page, after, shown, shuffle, query }: WalkPosition, issuedAt: number): string {
  const fields = [page, after?.key ?? null, after?.serial ?? null, shuffle, query, issuedAt];
  if (shown > 0) fields.push(shown);
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

function readPosition(payload: string | null): Opened | null {
  if (payload === null) return null;
  try {
    const fields: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (!Array.isArray(fields)) return null;
    const [page, key, serial, shuffle, query, issuedAt, shown = 0] = fields as [
      number,
      number | null,
      number | null,
      number,
      string,
      number,
      number?,
    ];
    const after = key === null || serial === null ? null : { key, serial };
    return { position: { page, after, shown, shuffle, query }, issuedAt };
  } catch {
    return null;
  }
}

/** Positions kept by the server. As with a real server, a restart loses them. */
function createSessions(wrapping: Wrapping): {
  find(token: string): Opened | null;
  keep(position: WalkPosition, token: string | null): string;
  end(token: string): void;
} {
  const positions = new Map<string, WalkPosition>();
  let opened = 0;
  return {
    find: (token) => {
      const position = positions.get(token);
      return position ? { position, issuedAt: 0 } : null;
    },
    keep: (position, sent) => {
      const token = sent ?? wrapping.toToken(Buffer.from(`session ${(opened += 1)}`).toString('base64url'));
      positions.set(token, position);
      const [oldest] = positions.keys();
      if (positions.size > MAX_SESSIONS && oldest !== undefined) positions.delete(oldest);
      return token;
    },
    end: (token) => positions.delete(token),
  };
}
