// Entries as trees, written in many ways: the tree says which of them are the same entry, not any code of the bridge.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifyPage, type IdentityFields } from '../../../../functions/poller/identity/identify.ts';
import { parseJson, type JsonObject } from '../../../../functions/shared/json.ts';
import { anyText } from '../../../support/arbitrary-json.ts';

type Tree =
  | { is: 'word'; text: 'null' | 'true' | 'false' }
  | { is: 'number'; text: string }
  | { is: 'text'; text: string }
  | { is: 'list'; items: Tree[] }
  | { is: 'object'; members: [name: string, value: Tree][] };

const NUMBERS = ['0', '-0', '1', '1.0', '10e-1', '9007199254740993', '9007199254740992', '1e400', '1e3', '1000'];
const NAMES = `a,b,ab,A,,__proto__,constructor,10,9,ä,\ud800,\ud801,\ue000,😀`.split(',');

const { tree, object } = fc.letrec<{ tree: Tree; object: Tree & { is: 'object' } }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ is: fc.constant('word' as const), text: fc.constantFrom('null', 'true', 'false') }),
    fc.record({ is: fc.constant('number' as const), text: fc.constantFrom(...NUMBERS) }),
    fc.record({ is: fc.constant('text' as const), text: fc.oneof(fc.constantFrom(...NAMES, ...NUMBERS), anyText()) }),
    fc.record({ is: fc.constant('list' as const), items: fc.array(tie('tree'), { maxLength: 3 }) }),
    tie('object'),
  ),
  object: fc.record({
    is: fc.constant('object' as const),
    members: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('tree')), {
      selector: ([name]) => name,
      maxLength: 4,
    }),
  }),
}));

/** Chances from 0 up to 1, which decide how a tree is written. */
const chances = () => fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));
type Chances = { next(): { value: number } };

/** JSON of the tree: members in any order, blanks anywhere, characters escaped or not. */
function write(value: Tree, chance: Chances): string {
  const blank = (): string => ['', ' ', '\n\t'][Math.floor(chance.next().value * 3)] ?? '';
  switch (value.is) {
    case 'word':
    case 'number':
      return value.text;
    case 'text':
      return quote(value.text, chance);
    case 'list':
      return `[${value.items.map((item) => blank() + write(item, chance) + blank()).join(',')}]`;
    case 'object': {
      const members = value.members.map((member) => ({ member, place: chance.next().value }));
      const texts = members
        .sort((a, b) => a.place - b.place)
        .map(({ member: [name, inner] }) => `${blank()}${quote(name, chance)}${blank()}:${write(inner, chance)}`);
      return `{${texts.join(',')}${blank()}}`;
    }
  }
}

function quote(text: string, chance: Chances): string {
  if (chance.next().value < 0.5) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => String.raw`\u${unit}`).join('')}"`;
}

/** Whether two trees mean the same: numbers to the digit, members in any order. */
function isSame(left: Tree, right: Tree): boolean {
  if (left.is === 'list' && right.is === 'list')
    return left.items.length === right.items.length && left.items.every((item, at) => isSame(item, right.items[at]!));
  if (left.is === 'object' && right.is === 'object') {
    const others = new Map(right.members);
    return (
      left.members.length === right.members.length &&
      left.members.every(([name, value]) => others.has(name) && isSame(value, others.get(name)!))
    );
  }
  return left.is === right.is && 'text' in left && 'text' in right && left.text === right.text;
}

const fields: IdentityFields = {
  sourceId: 'acme',
  idField: null,

  timeField: null,
  timeZone: 'UTC',
};
const entryOf = (value: Tree, chance: Chances): JsonObject => parseJson(write(value, chance)) as JsonObject;
const idsOf = (entries: readonly JsonObject[], more: Partial<IdentityFields> = {}): string[] =>
  identifyPage(entries, { ...fields, ...more }).map(({ id }) => id);

/** A tree, and another that differs from it in nothing, in one member, or in everything. */
const pairs = fc.oneof(
  fc.tuple(object, object),
  object.map((left): [Tree, Tree] => [left, left]),
  fc.tuple(object, fc.constantFrom(...NAMES), tree, tree).map(([{ is, members }, name, one, other]): [Tree, Tree] => {
    const rest = members.filter(([known]) => known !== name);
    return [
      { is, members: [...rest, [name, one]] },
      { is, members: [[name, other], ...rest] },
    ];
  }),
);

describe('two entries without an id', () => {
  it('have one identity exactly where they mean the same, however they are written', () => {
    fc.assert(
      fc.property(pairs, chances(), ([left, right], chance) => {
        const [one, other] = [left, right].flatMap((entry) => idsOf([entryOf(entry, chance)]));

        expect(one === other).toBe(isSame(left, right));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a page of entries without ids', () => {
  it('has as many identities as entries, and the ordinals of each content count from 0', () => {
    const few = fc.array(fc.nat({ max: 2 }), { maxLength: 10 });

    fc.assert(
      fc.property(
        fc.uniqueArray(object, { minLength: 3, maxLength: 3, comparator: isSame }),
        few,
        chances(),
        (kinds, page, chance) => {
          const entries = identifyPage(
            page.map((kind) => entryOf(kinds[kind]!, chance)),
            fields,
          );

          const ordinals = page.map((kind, index) => page.slice(0, index).filter((other) => other === kind).length);
          expect(entries.map(({ ordinal }) => ordinal)).toEqual(ordinals);
          expect(new Set(entries.map(({ id }) => id)).size).toBe(page.length);
        },
      ),
    );
  });
});

describe('two entries with ids', () => {
  const ids = fc.oneof(fc.constantFrom(...NAMES, 'id:a', 'sha256:a', '"a"', '\\ud800', '\ufffd'), anyText());

  it('have one identity exactly where their ids are the same text, whatever characters they have', () => {
    const named = ids.filter((id) => id.trim() !== '');

    fc.assert(
      fc.property(named, named, (one, other) => {
        const [left, right] = idsOf([{ id: one, x: 1 }, { id: other }], { idField: '/id' });

        expect(left === right).toBe(one === other);
      }),
      { numRuns: 1_000 },
    );
  });

  it('share no identity with another source, nor with an entry identified by its content', () => {
    fc.assert(
      fc.property(
        ids.filter((id) => id.trim() !== ''),
        object,
        chances(),
        (id, content, chance) => {
          const entry = entryOf(content, chance);
          const all = [
            ...idsOf([{ id }], { idField: '/id' }),
            ...idsOf([{ id }], { idField: '/id', sourceId: 'acme-2' }),
            ...idsOf([entry, entry]),
          ];

          expect(new Set(all).size).toBe(4);
        },
      ),
    );
  });
});
