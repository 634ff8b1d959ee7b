// Text of any Unicode characters. fast-check's own unit `binary` does the same, but takes seconds to start.
import * as fc from 'fast-check';

const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10_ffff }));

/** Well-formed text of any code points. */
export function anyUnicode(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint.map((code) => String.fromCodePoint(code)) });
}
