import { notice } from './catalogued.ts';
import { object, text, type ValueOf } from './schema.ts';

export const credentialsRefused = notice({
  type: 'CredentialsRefused',
  when: 'The service has refused the username or password of a version of the secret. There is one notice for each version, and no login is sent with that version again.',
  use: 'Write a working username and password into the secret. The next poll tries the new version. Until then nothing is read.',
  data: object({ remedy: text('What to do, in a sentence') }),
  example: { remedy: 'Write a working username and password into the secret.' },
});

/** `data` of CredentialsRefused. */
export type CredentialsRefusedData = ValueOf<typeof credentialsRefused.data>;
