import { notice } from './catalogued.ts';
import { object, oneOf, text, type ValueOf } from './schema.ts';

export const credentialsRefused = notice({
  type: 'CredentialsRefused',
  when: 'The service has refused the username or password of a version of the secret, or a run ended during the first login with it, so that nobody knows. There is one notice for each, and no login is sent with that version again.',
  use: 'For `refused` write a working username and password into the secret: the next poll tries the new version. For `unknown` allow another login with `membership-bridge credentials reset`. Until then nothing is read.',
  data: object({
    reason: oneOf(['refused', 'unknown'], '`refused` by the service, or `unknown`: a run ended during the first login'),
    remedy: text('What to do, in a sentence'),
  }),
  example: {
    reason: 'refused',
    remedy: 'Write a working username and password into the secret.',
  },
});

/** `data` of CredentialsRefused. */
export type CredentialsRefusedData = ValueOf<typeof credentialsRefused.data>;
