import { describe, expect, it } from 'vitest';
import { MAX_ANSWER, shownAnswer } from '../../../../functions/deliverer/send/shown-answer.ts';

const body = Buffer.from(
  '{"type":"MemberChanged","timestamp":"2026-11-23T14:00:00Z","data":{"name":"Ádám Kis","city":"Ede","fee":402.50,' +
    '"born":"1980-05-06","note":"a \\"quoted\\" word","active":true}}',
);
const sent = { body, texts: ['v1,c2lnbmF0dXJlIG9mIGEgd2ViaG9vaw==', 'a secret of the receiver'] };
const LEFT_OUT = '(left out: it repeats what was sent)';

describe('the answer of a receiver', () => {
  it.each([
    'Message timestamp too old',
    'No matching signature found',
    '{"timestamp":"2026-11-23T14:00:01Z","status":400,"error":"Bad Request","path":"/hook"}',
    'data.fee is not a whole number, active must be false',
    'the depeche mode',
  ])('is shown where it has no value of ours: %s', (answer) => {
    expect(shownAnswer(answer, sent)).toBe(answer);
  });

  it.each([
    ['all', body.toString()],
    ['all, escaped', JSON.stringify(body.toString())],
    ['a name in other letters', 'no contact ÁDÁM  KIS found'],
    ['a name as JSON escapes', '{"error":"no contact \\u00c1d\\u00e1m Kis"}'],
    ['a short value', 'unknown city: Ede.'],
    ['a number', 'fee of 402.50 is too much'],
    ['a date', 'born on 1980-05-06'],
    ['a part of a value', 'near oted\\" word"'],
    ['the signature', `got ${sent.texts[0]}`],
    ['a secret header', 'unknown key a-secret a secret of'],
    ['something of ours, late', `${'x'.repeat(500)} Ede`],
  ])('is left out where it has %s of what was sent', (_what, answer) => {
    expect(shownAnswer(answer, sent)).toBe(LEFT_OUT);
  });

  it('is cut and harmless on a screen, and a character is never cut in two', () => {
    expect(shownAnswer(`\u001b[2J${'x'.repeat(500)}`, sent)).toMatch(/^\\u001b\[2Jx+$/);
    const cut = shownAnswer(`${'x'.repeat(MAX_ANSWER - 1)}👩`, sent) ?? '';
    expect(cut).toHaveLength(MAX_ANSWER);
    expect(cut.isWellFormed()).toBe(true);
  });

  it('is null where there is none', () => {
    expect(shownAnswer(' \n', sent)).toBeNull();
  });
});
