import { notice } from './catalogued.ts';
import { instant, object, text, texts, type ValueOf } from './schema.ts';

export const sourceSilent = notice({
  type: 'SourceSilent',
  when: 'No run of this source has read anything for twice its interval and a minute, and for nine minutes at least. Sent once, and again only after it has recovered. Where five sources or more, and most of those of a service, fail alike, one notice is for all of them, `sources`.',
  use: 'Tell a person. `alarmEmail` gets its message as a mail. `SourceRecovered` with the same `since` follows.',
  data: object(
    {
      since: instant('When something was last read; before that, when it was to begin'),
      reason: text(
        'The code of its last failure, or `paused`, `noSchedule`, `notDeployed`, `scheduleOff`, `neverLoggedIn`, `noRun`; more may be added',
      ),
      message: text('What is silent, since when and why, in one or two sentences'),
    },
    {
      host: text('The service of all of them; only where it is for several'),
      sources: texts('All that are silent alike, this one among them; only where it is for several'),
    },
  ),
  example: {
    since: '2026-11-20T09:04:12.000Z',
    reason: 'ServiceUnavailable',
    message: 'Nothing was read since 2026-11-20T09:04:12Z. Its runs fail with ServiceUnavailable.',
  },
});

/** `data` of SourceSilent. */
export type SourceSilentData = ValueOf<typeof sourceSilent.data>;
