import { notice } from './catalogued.ts';
import {
  count,
  day,
  dayOrNull,
  instant,
  object,
  oneOf,
  sha256,
  sha256OrNull,
  textOrNull,
  type ValueOf,
} from './schema.ts';

export const auditCheckpointCreated = notice({
  type: 'AuditCheckpointCreated',
  when: 'A closed day of the action log was sealed, even an empty one. Late entries of a sealed day are sealed as an amendment. The first checkpoint, and the first one after a pause of the audit copy, begins the claim that the copy is complete.',
  use: 'Keep its number and its SHA-256 outside the audit copy. With the chain of checkpoints anybody can prove that the copy is complete.',
  data: object({
    number: count('The place in the chain, from 1'),
    kind: oneOf(
      ['begin', 'day', 'amendment'],
      '`begin`: from `since` on the copy claims to be complete. `day`: the entries of a day. `amendment`: only the entries that came after the day was sealed',
    ),
    day: dayOrNull('UTC, of `occurredAt`, or of `observedAt` if that is null; null for `begin`'),
    amendment: count("0 for the day's own seal, then 1, 2, …; 0 for `begin`"),
    entries: count('The number of lines in the manifest'),
    quarantined: count('The number of them that are in quarantine instead of on the bus'),
    digest: sha256OrNull("Of the manifest's uncompressed text, which is empty for an empty day; null for `begin`"),
    manifest: textOrNull("The manifest's key in the audit bucket; null for `begin` and for an empty manifest"),
    since: instant('When the claim to be complete begins, from the last `begin`'),
    firstDay: day(
      'The first day sealed since the last `begin`; earlier days have at most amendments. From the day of `since` on, every day is sealed, even an empty one. Before it, in the past that `startFrom` requests, only days with entries are',
    ),
    querySha256: sha256(
      'Of the query: `actionKeys`, `baseUrl` and `organisationMembershipId` of the settings (null if absent) as canonical JSON',
    ),
    settingsSha256: sha256("Of the source's settings in the schedule, as canonical JSON"),
    userSha256: sha256(
      'Of the name of the user that reads the log at the time of the seal: entries that this user may not see are not counted',
    ),
    sealedAt: instant('When it was sealed'),
    previousSha256: sha256OrNull('Of the previous checkpoint, as canonical JSON; null for the first one'),
  }),
  example: {
    number: 42,
    kind: 'day',
    day: '2026-11-18',
    amendment: 0,
    entries: 1204,
    quarantined: 0,
    digest: 'fb095624103259f86a43b8cedab71373a62f18c2539424a53863e3e9fbb984c7',
    manifest: 'manifests/acme/2026-11-18/000000.txt.gz',
    since: '2026-10-08T07:31:02.018Z',
    firstDay: '2026-10-08',
    querySha256: 'a8b771920b8319e47251d1360f5e880bc18e8d329b0f0d003ea3c7e615558947',
    settingsSha256: 'cde0fb0dec1400c54a0f7e7eafa73624c53e4da258bbd34b3380a0defeba95c1',
    userSha256: 'b2d4430d0ead32fea75f3910236857d0a0393f2d8358210ca181045c085e577c',
    sealedAt: '2026-11-20T09:14:41.120Z',
    previousSha256: '6da0633528deaa0144e7b058315f0b753ec0b945163a72bf96a0d18180f9de0d',
  },
});

/** `data` of AuditCheckpointCreated. */
export type AuditCheckpointCreatedData = ValueOf<typeof auditCheckpointCreated.data>;
