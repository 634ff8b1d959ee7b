// The notifier in cdk.json: its channels, what each reports, and when.
import { createRequire } from 'node:module';
import * as z from 'zod/mini';
import type * as Cdk from 'aws-cdk-lib';
import { channelInput } from '../../functions/consumers/notifier/channels/kinds.ts';
import { readingShape, weekdayInput, wordingShape } from '../../functions/consumers/notifier/wording.ts';
import { objectInput, patternInput, textInput } from '../../functions/shared/checked-input.ts';
import { detailTypesInput } from '../../functions/events/filter-input.ts';
import { distinctInput } from './distinct-input.ts';

/** The placeholder in a link that a member's id replaces. */
const MEMBER_IN_LINK = '{organisationMembershipId}';

const link = textInput(`an https address with ${MEMBER_IN_LINK} in it`, (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') throw new RangeError('is no https address');
  // A member's id selects a page, never a host.
  if (url.host.includes('{') || url.username !== '' || url.password !== '')
    throw new RangeError('has the member in the name of the host');
  if (!text.includes(MEMBER_IN_LINK)) throw new RangeError('does not say where the member stands in it');
});

const zone = textInput('the IANA name of the organisation\'s zone, such as "Europe/Amsterdam"', (text) => {
  if (ianaSpelling(text) === null) throw new RangeError('is not a time zone that this runtime knows');
});

const digest = objectInput({
  digestAt: patternInput('a time of day such as "08:00"', /(?:[01]\d|2[0-3]):[0-5]\d/),
  digestOn: z.optional(weekdayInput),
});

/** When a digest is sent: at a time of day, every day or on a day of the week. */
export type DigestSettings = z.output<typeof digest>;

const common = {
  name: patternInput('lower-case letters, digits and hyphens, a letter first, at most 31', /[a-z][a-z0-9-]{0,30}/),
  detailTypes: detailTypesInput('send'),
  delivery: z._default(
    z.union([z.literal('immediate'), digest], {
      error:
        'is not known; write "immediate", { "digestAt": "08:00" } or { "digestAt": "08:00", "digestOn": "Monday" }',
    }),
    'immediate',
  ),
  timeZone: zone,
  links: z.optional(objectInput({ member: z.optional(link) })),
  ...readingShape,
  ...wordingShape,
};

const channel = channelInput(common);

/** A channel as the settings have it. */
export type NotifierChannelSettings = z.output<typeof channel>;

const wording = z.object(wordingShape);

/** The wording is that of all channels; a channel may have its own, which has priority phrase by phrase. */
export type NotifierSettings = z.output<typeof wording> & { channels: NotifierChannelSettings[] };

export const NO_CHANNELS: NotifierSettings = { channels: [] };

export const notifierInput = objectInput({
  ...wordingShape,
  channels: z.array(channel, { error: 'is missing or not a list; write the list of channels' }).check(
    distinctInput(
      'name',
      (name) => (typeof name === 'string' ? name : null),
      () => 'is taken by another channel; write one of its own, because its queue and its secret are named after it',
    ),
    ({ value, issues }) => {
      for (const [index, { delivery, timeZone }] of value.entries()) {
        const spelled = ianaSpelling(timeZone);
        if (delivery === 'immediate' || spelled === timeZone) continue;
        const message = `is spelled otherwise by IANA, which EventBridge Scheduler insists on; write "${spelled}"`;
        issues.push({ code: 'custom', input: timeZone, path: [index, 'timeZone'], message });
      }
    },
  ),
});

/**
 * Zones as EventBridge Scheduler takes them: the CDK's list, Intl's with older names, and UTC. The CDK is loaded when a
 * zone is checked, which the app does: `npm start` reads these settings without checking them.
 */
function zones(): readonly string[] {
  if (known.length > 0) return known;
  const { TimeZone } = createRequire(import.meta.url)('aws-cdk-lib') as typeof Cdk;
  const named = Object.values(TimeZone).map(({ timezoneName }) => timezoneName);
  known = [...named, ...Intl.supportedValuesOf('timeZone'), 'UTC'];
  return known;
}

let known: readonly string[] = [];

/** The IANA spelling of a zone, or of the zone that it is another name for; null for none. Intl takes any case. */
function ianaSpelling(text: string): string | null {
  const spelled = zones().find((zone) => zone.toLowerCase() === text.toLowerCase());
  if (spelled !== undefined || !/^[A-Za-z]/.test(text)) return spelled ?? null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
