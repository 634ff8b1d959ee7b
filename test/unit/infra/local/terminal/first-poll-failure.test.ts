import { describe, expect, it } from 'vitest';
import { firstPollFailure } from '../../../../../infra/local/terminal/first-poll-failure.ts';

const DOCTOR = 'npx membership-bridge doctor settings.json';
const failure = (code: string, errorMessage: string) => ({ code, errorType: 'BridgeError', errorMessage });

describe('a first poll that failed', () => {
  it('names the doctor where the service answered otherwise than expected', () => {
    const refused = failure('RequestRefused', 'The service answered 400 to a request for the action log.');

    expect(firstPollFailure(refused, DOCTOR)).toBe(
      `The first poll failed, so this run ends. RequestRefused: The service answered 400 to a request for the action log. See what the service does: ${DOCTOR}`,
    );
    expect(firstPollFailure(refused, null)).not.toContain('doctor');
  });

  it('does not name it where the line says what to correct', () => {
    const page = { ...failure('ResponseInvalid', 'The answer is not usable.'), details: { reason: 'HTML or XML' } };

    expect(firstPollFailure(page, DOCTOR)).toMatch(/a web page instead of JSON\. .* Correct it and start again\.$/);
    expect(firstPollFailure({ ...page, details: {} }, DOCTOR)).toContain(DOCTOR);
  });

  it.each(['CredentialsRefused', 'ServiceUnavailable', 'PermissionDenied'])(
    'does not name it for %s, of which it would show no more, and a refused login would be repeated',
    (code) => {
      expect(firstPollFailure(failure(code, 'It failed.'), DOCTOR)).not.toContain('doctor');
    },
  );
});
