// The notices: what the bridge says of itself, when, and what to do.
import type { NoticeType } from '../event.ts';
import type { NoticeData } from '../notice-data.ts';
import { count, instant, instantOrNull, noticeDetail, object, type Schema, text, textOrNull, uuid } from './schema.ts';

export type NoticeEntry<Type extends NoticeType = NoticeType> = {
  when: string;
  advice: string;
  /** Schema of `detail.data`. */
  data: Schema;
  example: NoticeData[Type];
  /** Reserved: the bridge does not publish it yet. */
  reserved?: true;
};

const level: Schema = { enum: ['recent', 'settle', 'reconcile', 'past'] };
const reserved = { data: object({}), example: {}, reserved: true } as const;

export const NOTICES: { readonly [Type in NoticeType]: NoticeEntry<Type> } = {
  GapDetected: {
    when: 'A span of the log could not be read as a whole, or the bridge was off for longer than it remembers what it has published. What could be read of the span is published.',
    advice: 'Compare the span with the admin panel. Every growth of a gap is a notice of its own.',
    data: object(
      {
        from: instantOrNull,
        to: instant,
        reason: { enum: ['outage', 'refused', 'unpaged', 'filtersNotHonoured'] },
        level,
      },
      ['level'],
    ),
    example: { from: '2026-11-20T09:14:03.000Z', to: '2026-11-20T09:14:03.000Z', reason: 'unpaged', level: 'recent' },
  },
  LateEntriesFound: {
    when: 'A run has published entries that became visible later than the recent sweep looks back. Their events have `metadata.late: true`.',
    advice: 'Nothing, unless it is the rule: then a longer look-back finds them sooner.',
    data: object({ count }),
    example: { count: 3 },
  },
  CredentialsRefused: {
    when: 'The service has refused username or password of a version of the secret. It is told once, and no login is sent with that version again.',
    advice: 'Write a working username and password into the secret as a new version.',
    data: object({ remedy: text }),
    example: { remedy: 'Write a working username and password into the secret.' },
  },
  EntryQuarantined: {
    when: 'The bus has refused an entry for good, or the entry is larger than the bus takes. It lies whole in quarantine, and the others flow on.',
    advice: 'Look the entry up by `eventId`: it is the `metadata.id` of its event.',
    data: object({ eventId: uuid, reason: text }),
    example: { eventId: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e', reason: 'MalformedDetail' },
  },
  SourceResponseChanged: {
    when: 'The service answers otherwise than it did, or than its settings say. `kind` names the fact: continuation, entryContent, filters, idField, stampForm, startDate, timeField, timeZone or walkEnd.',
    advice:
      'Read the assumption of that fact in membership-service.md. Nothing is lost by it, but events may be later or more requests be sent.',
    data: object({ kind: text, before: textOrNull, after: textOrNull }),
    example: { kind: 'startDate', before: 'honoured', after: 'ignored' },
  },
  AuditCheckpointCreated: { when: 'Reserved for the audit copy.', advice: 'Nothing.', ...reserved },
  WebhookEndpointDisabled: { when: 'Reserved for signed webhooks.', advice: 'Nothing.', ...reserved },
};

export function noticeSchemaOf(type: NoticeType): Schema {
  return noticeDetail(NOTICES[type].data);
}
