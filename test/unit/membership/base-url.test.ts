import { describe, expect, test } from 'vitest';
import { readBaseUrl } from '../../../functions/membership/base-url.ts';
import { BridgeError } from '../../../functions/shared/errors.ts';

describe('a base URL', () => {
  test.each([
    { text: 'https://api.example.org', origin: 'https://api.example.org', prefix: '' },
    { text: 'https://api.example.org/', origin: 'https://api.example.org', prefix: '' },
    { text: 'https://api.example.org:8443/v1/api/', origin: 'https://api.example.org:8443', prefix: '/v1/api' },
    { text: 'http://localhost:3000', origin: 'http://localhost:3000', prefix: '' },
    { text: 'http://127.0.0.1:3000/x', origin: 'http://127.0.0.1:3000', prefix: '/x' },
    { text: 'http://127.9.9.9', origin: 'http://127.9.9.9', prefix: '' },
    { text: 'http://[::1]:3000', origin: 'http://[::1]:3000', prefix: '' },
  ])('may be $text', ({ text, origin, prefix }) => {
    expect(readBaseUrl(text)).toEqual({ origin, prefix });
  });

  test.each([
    'http://api.example.org',
    'http://10.0.0.1',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://[::ffff:7f00:1]',
    'ftp://api.example.org',
    'file:///etc/passwd',
    'https://user:hush@api.example.org',
    'https://api.example.org/?token=hush',
    'https://api.example.org/#hush',
    'api.example.org',
    '',
  ])('may not be "%s"', (text) => {
    const reading = (): unknown => readBaseUrl(text);

    expect(reading).toThrow(expect.objectContaining({ code: 'InvalidSettings', details: { setting: 'baseUrl' } }));
    expect(reading).toThrow(BridgeError);
    expect(reading).not.toThrow(/hush/);
  });
});
