import { notice } from './catalogued.ts';
import { instant, object, text, texts, type ValueOf } from './schema.ts';

export const sourceRecovered = notice({
  type: 'SourceRecovered',
  when: 'A source that was silent is read again. One notice is for several where that of `SourceSilent` was.',
  use: 'Nothing: what came in the meantime is published as late entries are.',
  data: object(
    {
      since: instant('That of the `SourceSilent` that it ends'),
      message: text('What is read again, in a sentence'),
    },
    {
      host: text('The service of all of them; only where it is for several'),
      sources: texts('All that are read again; only where it is for several'),
    },
  ),
  example: {
    since: '2026-11-20T09:04:12.000Z',
    message: 'It is read again. Nothing was since 2026-11-20T09:04:12Z.',
  },
});

/** `data` of SourceRecovered. */
export type SourceRecoveredData = ValueOf<typeof sourceRecovered.data>;
