import { describe, expect, test } from 'vitest';
import { logText } from '../../../functions/shared/log-text.ts';

describe('the text of a log line', () => {
  test.each([
    ['what an object says that went through the console', { level: 'INFO', message: { id: 'a' } }, 'id=a'],
    ['a text and what is beside it', { level: 'INFO', message: 'done', entries: 3 }, 'done entries=3'],
    ['on one line what a console breaks into several', { message: "changed {\n  id: 'a'\n}" }, "changed { id: 'a' }"],
    ['a level worth mentioning', { level: 'WARN', message: 'slow' }, 'WARN slow'],
    [
      'no origin of the line, whose source whoever reads it has named',
      {
        message: 'done',
        timestamp: 't',
        sourceId: 'acme',
        requestId: 'r',
        service: 's',
        cold_start: true,
        function_name: 'f',
      },
      'done',
    ],
  ])('is %s', (_what, line, text) => {
    expect(logText(JSON.stringify(line))).toBe(text);
  });

  test('has members as names and values without JSON, those within others by their path', () => {
    const line = {
      message: 'Polled.',
      outcome: 'idle',
      newestAt: null,
      sweep: { level: 'recent', of: ['a', 1] },
      by: 'a b',
    };

    expect(logText(JSON.stringify(line))).toBe('Polled. outcome=idle sweep.level=recent sweep.of=["a",1] by="a b"');
    expect(logText('{"an":"object"}')).toBe('an=object');
  });

  test.each([
    ['plain text', 'plain text'],
    ['{ no: json', '{ no: json'],
    ['red \u001B[31m', String.raw`red \u001b[31m`],
  ])('is the line itself without a logger: %j', (line, text) => {
    expect(logText(line)).toBe(text);
  });

  test.each([
    ['an embedded metric', '{"_aws":{"Timestamp":1},"FailedPoll":1}'],
    [
      "Lambda's report of a success",
      '{"time":"2026-11-22T18:49:26.601Z","type":"platform.report","record":{"requestId":"r","metrics":{"durationMs":3},"status":"success"}}',
    ],
    ["Lambda's line of a start", '{"type":"platform.start","record":{"requestId":"r","version":"5"}}'],
    ['an empty line', '  '],
  ])('is null for %s', (_what, line) => {
    expect(logText(line)).toBeNull();
  });

  test('is truncated', () => {
    expect(logText('x'.repeat(10_000))).toBe(`${'x'.repeat(239)}…`);
  });

  // The first two lines are as the runtime of AWS wrote them (aws-lambda-ric 3.3.0, log format JSON), without stacks.
  test.each([
    [
      'the code and message of an error that nobody caught',
      '{"timestamp":"2026-11-22T18:49:26.601Z","level":"ERROR","requestId":"req-1","message":{"errorType":"mo","errorMessage":"The service answered 503.","stackTrace":["BridgeError: The service answered 503."],"name":"BridgeError","code":"ServiceUnavailable","retryable":true,"details":{"status":503,"retryAt":null}}}',
      'ERROR ServiceUnavailable: The service answered 503. status=503',
    ],
    [
      'one error once that stands beside a text',
      '{"timestamp":"2026-11-22T18:49:26.694Z","level":"ERROR","requestId":"req-1","message":"Failed TypeError: no x","errorType":"TypeError","errorMessage":"no x","stackTrace":["TypeError: no x"]}',
      'ERROR Failed TypeError: no x',
    ],
    [
      'an error as the logger writes it, without its stack',
      '{"level":"WARN","message":"It failed.","error":{"name":"TypeError","location":"index.js:1","message":"no x","stack":"TypeError: no x"},"tries":2}',
      'WARN It failed. TypeError: no x tries=2',
    ],
    ['what else a line calls error', '{"message":"no","error":{"at":1}}', 'no at=1'],
    [
      'how Lambda ended an invocation',
      '{"time":"2026-08-09T12:34:56.789Z","type":"platform.report","record":{"requestId":"r","status":"timeout","metrics":{"durationMs":3000}}}',
      'ERROR Lambda ended the run: timeout after 3.0 s.',
    ],
    [
      'why Lambda ended it, where it says so',
      '{"type":"platform.report","record":{"requestId":"r","status":"error","errorType":"Runtime.ExitError"}}',
      'ERROR Lambda ended the run: error (Runtime.ExitError).',
    ],
  ])('has %s', (_what, line, text) => {
    expect(logText(line)).toBe(text);
  });
});
