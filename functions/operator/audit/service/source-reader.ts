// Turns the options of the command into a reading of the service.
import { createSessions } from '../../../source/session.ts';
import { readSourceSettings } from '../../../source/settings.ts';
import type { Credentials } from '../../../membership/token.ts';
import type { Clock } from '../../../shared/clock.ts';
import { shiftDay } from '../period.ts';
import { readSource, type ReadOptions, type SourceReading } from './read-source.ts';

type Options = {
  source: string;
  baseUrl?: string;
  timeZone?: string;
  actionKeys?: string;
  member?: string;
  requestsPerMinute?: number;
};

/** The returned function reads from the day before `fromDay` (null: the beginning) on. Throws InvalidSettings. */
export function createSourceReader(
  { source, baseUrl, timeZone, actionKeys, member, requestsPerMinute }: Options,
  credentials: Credentials,
  parts: { clock: Clock } & Required<Pick<ReadOptions, 'poll' | 'onProgress'>>,
): (fromDay: string | null) => Promise<SourceReading> {
  const settingsFrom = (startFrom: string) =>
    readSourceSettings(
      {
        sourceId: source,
        baseUrl,
        timeZone,
        startFrom,
        secretId: 'the-auditor',
        actionKeys,
        organisationMembershipId: member,
        maxRequestsPerMinute: requestsPerMinute,
      },
      parts.clock.now(),
    );
  // Wrong settings are reported before anything is read.
  settingsFrom('beginning');
  return async (fromDay) => {
    const settings = settingsFrom(fromDay === null ? 'beginning' : `${shiftDay(fromDay, -1)}T00:00:00Z`);
    // The auditor's own credentials, given for this service.
    const binding = { baseUrl: settings.baseUrl, sources: [settings.sourceId] };
    const reader = { read: async () => ({ versionId: 'given', credentials, binding }) };
    const session = createSessions({ clock: parts.clock, credentialsFor: () => reader })(settings);
    return await readSource({ ...parts, settings, session });
  };
}
