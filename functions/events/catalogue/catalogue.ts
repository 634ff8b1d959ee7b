// The event catalogue: every event of the bridge with its schema and an example, in the order of the types.
import {
  ACTION_LOG_SOURCE,
  type ActionLogDetail,
  BRIDGE_SOURCE,
  DETAIL_TYPES,
  type DetailType,
  NOTICE_TYPES,
  type NoticeDetail,
  type NoticeType,
} from '../event.ts';
import type { TypedEvent } from '../typed-event.ts';
import { ENTRIES } from './entries.ts';
import { NOTICES, noticeSchemaOf } from './notices.ts';
import { entryDetail, eventSchema, type Schema } from './schema.ts';

export type CataloguedEvent = {
  detailType: DetailType | NoticeType;
  source: typeof ACTION_LOG_SOURCE | typeof BRIDGE_SOURCE;
  when: string;
  /** What to do on it; notices alone have it. */
  advice?: string;
  /** Of the whole event. */
  schema: Schema;
  /** A whole event, as the console's Test tab takes it. */
  example: TypedEvent;
  reserved: boolean;
};

export const CATALOGUE: readonly CataloguedEvent[] = [
  ...DETAIL_TYPES.map(catalogueEntry),
  ...NOTICE_TYPES.map(catalogueNotice),
];

function catalogueEntry(detailType: DetailType): CataloguedEvent {
  const { when, actionKey } = ENTRIES[detailType];
  return {
    detailType,
    source: ACTION_LOG_SOURCE,
    when,
    schema: eventSchema(detailType, entryDetail, 'entry'),
    example: delivered(detailType, ACTION_LOG_SOURCE, entryExample(actionKey)) as TypedEvent,
    reserved: false,
  };
}

function catalogueNotice(detailType: NoticeType): CataloguedEvent {
  const { when, advice, example, reserved = false } = NOTICES[detailType];
  const metadata = {
    id: '0f6c1a52-9a1e-8c43-9f7b-5d1d0f3b7a10',
    version: '1',
    sourceId: 'acme',
    observedAt: '2026-11-20T09:14:41.120Z',
    requestId: '9d7772cd-c4f9-4596-a579-b8fc505a2fd0',
  } as const;
  return {
    detailType,
    source: BRIDGE_SOURCE,
    when,
    advice,
    schema: eventSchema(detailType, noticeSchemaOf(detailType), 'notice'),
    example: delivered(detailType, BRIDGE_SOURCE, { metadata, data: example }) as TypedEvent,
    reserved,
  };
}

function delivered(detailType: string, source: string, detail: ActionLogDetail | NoticeDetail): object {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': detailType,
    source,
    account: '123456789012',
    time: '2026-11-20T09:14:03Z',
    region: 'eu-central-1',
    resources: [],
    detail,
  };
}

/** The names of the entry's fields are invented, as its values are: the interface document shows none. */
function entryExample(actionKey: string): ActionLogDetail {
  return {
    metadata: {
      id: 'db32c7b1-7fc1-8507-931e-00ff6e4ad56e',
      version: '1',
      sourceId: 'acme',
      organisationId: 'c7f11af2-04d9-47ce-b4ed-63fe38eb5997',
      actionKey,
      organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
      occurredAt: '2026-11-20T09:14:03.794Z',
      occurredAtText: '2026-11-20T12:14:03.794',
      observedAt: '2026-11-20T09:14:41.120Z',
      entrySha256: '24f9dacb088c5a902e907db76de892a6715f313c4faa0fb877dfdbb1cef5555f',
      late: false,
      backfillId: null,
      requestId: '9d7772cd-c4f9-4596-a579-b8fc505a2fd0',
    },
    data: {
      id: '0d3a5b8e-61c1-4f0e-9a43-5f5f1f0b5a77',
      createdOn: '2026-11-20T12:14:03.794',
      actionKey,
      organisationMembershipId: '48699cf4-9a9a-4046-8859-a641dc927767',
      memberName: 'Ada Tanaka',
    },
  };
}
