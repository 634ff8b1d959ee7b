// A bridge whose watchdog tells people: the source `alone`, and six more.
import { personalities } from '../../infra/membership-service/service.ts';

export const SIX = Array.from({ length: 6 }, (_, at) => `of-six-${at}`);
/** What the watchdog tells. */
export const TOLD = ['SourceSilent', 'SourceRecovered'];

const { timeZone } = personalities.ordinary.stamps;
const channel = { name: 'slack', kind: 'slack', detailTypes: TOLD, delivery: 'immediate', timeZone: 'UTC' };

/** Settings of a cloud lay the addresses of services over those of the sources. */
export const WATCHED = {
  sources: ['alone', ...SIX].map((sourceId) => ({ sourceId, baseUrl: 'https://laid-over.invalid', timeZone })),
  alarmEmail: 'operator@example.org',
  notifier: { channels: [channel] },
};
