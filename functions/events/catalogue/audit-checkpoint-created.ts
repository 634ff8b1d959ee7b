import { notice } from './catalogued.ts';
import { count, day, flag, instant, object, sha256, sha256OrNull, type ValueOf } from './schema.ts';

export const auditCheckpointCreated = notice({
  type: 'AuditCheckpointCreated',
  when: 'A closed day of the action log was sealed, an empty one too; a day whose entries came late is sealed again as an amendment.',
  use: 'Keep it where the audit copy is not: with the chain of checkpoints anybody can prove that the copy is complete.',
  data: object({
    day: day("In the organisation's time zone"),
    querySha256: sha256('Of what was asked of the service'),
    settingsSha256: sha256("Of the source's settings"),
    userSha256: sha256('Of the name of the user as whom the log was read: what it may not see is not in the count'),
    entries: count('How many entries the day has'),
    digest: sha256('Over the sorted pairs of identity and `entrySha256`'),
    previousSha256: sha256OrNull('Of the checkpoint before; null for the first one'),
    amendment: count('0 for the first seal of a day, then 1, 2, …'),
    sealedAt: instant('When the day was sealed'),
    genesis: flag('True for the first checkpoint of the chain, made by the first poll'),
  }),
  example: {
    day: '2026-11-18',
    querySha256: 'a8b771920b8319e47251d1360f5e880bc18e8d329b0f0d003ea3c7e615558947',
    settingsSha256: 'cde0fb0dec1400c54a0f7e7eafa73624c53e4da258bbd34b3380a0defeba95c1',
    userSha256: 'b2d4430d0ead32fea75f3910236857d0a0393f2d8358210ca181045c085e577c',
    entries: 1204,
    digest: 'fb095624103259f86a43b8cedab71373a62f18c2539424a53863e3e9fbb984c7',
    previousSha256: '6da0633528deaa0144e7b058315f0b753ec0b945163a72bf96a0d18180f9de0d',
    amendment: 0,
    sealedAt: '2026-11-20T09:14:41.120Z',
    genesis: false,
  },
  published: false,
});

/** `data` of AuditCheckpointCreated. */
export type AuditCheckpointCreatedData = ValueOf<typeof auditCheckpointCreated.data>;
