import { describe, expect, it } from 'vitest';
import { createConcerns, NO_FAILED_RUNS, withLine } from '../../../../functions/operator/logs/source-lines.ts';

const failed = (sourceId: string, requestId: string) => ({
  message: 'The run failed.',
  sourceId,
  requestId,
  error: { code: 'ServiceUnavailable' },
});
const lambdaError = (requestId: string) => ({ level: 'ERROR', requestId, message: { errorType: 'Error' } });
const report = (requestId: string, status: string) => ({ type: 'platform.report', record: { requestId, status } });

describe('lines of a log', () => {
  it.each([
    ['of a source', [{ sourceId: 'acme' }, { sourceId: 'other' }], ['own', 'other']],
    ['of code without a source', [{ message: 'hello' }, {}], ['own', 'own']],
    [
      'of Lambda about a run that has said that it failed',
      [failed('acme', '1'), lambdaError('1'), report('1', 'error'), report('1', 'error')],
      ['own', 'repeated', 'repeated', 'repeated'],
    ],
    [
      'of Lambda about a run of another source',
      [failed('other', '2'), lambdaError('2'), report('2', 'error')],
      ['other', 'other', 'other'],
    ],
    [
      'of Lambda about a run that could not say it: a wrong environment, a time that is up',
      [lambdaError('3'), report('3', 'error'), report('4', 'timeout')],
      ['own', 'repeated', 'own'],
    ],
    ['of Lambda about a success', [report('5', 'success'), report('5', 'timeout')], ['own', 'own']],
  ])('%s concern whom they concern', (_what, lines, concerns) => {
    expect(lines.map(createConcerns('acme'))).toEqual(concerns);
  });

  it('of a consumer all concern it, and what Lambda repeats is left out', () => {
    const lines = [{ sourceId: 'acme' }, lambdaError('1'), lambdaError('1'), report('1', 'error')];

    expect(lines.map(createConcerns(null))).toEqual(['own', 'own', 'own', 'repeated']);
  });
});

describe('failed runs in a row', () => {
  const polled = (outcome: string) => ({ message: 'Polled.', sourceId: 'acme', outcome });
  const runsAfter = (lines: readonly object[]) =>
    lines.reduce<typeof NO_FAILED_RUNS>((runs, line, at) => withLine(runs, at, { ...line }), NO_FAILED_RUNS);

  it.each(['idle', 'published', 'continuing'])('end with one that is %s', (outcome) => {
    expect(runsAfter([failed('acme', '1'), polled(outcome)])).toMatchObject({ count: 0 });
  });

  it.each(['skipped', 'paused'])('go on over one that is %s', (outcome) => {
    const lines = [polled('idle'), failed('acme', '1'), polled(outcome), failed('acme', '2')];

    expect(runsAfter(lines)).toEqual({ count: 2, since: 1, isWhole: true, code: 'ServiceUnavailable' });
  });

  it('may have begun before the first line', () => {
    expect(runsAfter([failed('acme', '1')])).toMatchObject({ count: 1, since: 0, isWhole: false });
  });
});
