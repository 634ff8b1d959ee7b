// Accepts events like the bus and keeps only what the summary needs, so that a million events fit into memory.
import { ACTION_LOG_SOURCE, type ActionLogDetail } from '../../../../functions/events/event.ts';
import type { Answer } from '../../../../infra/local/platform/aws-call.ts';
import type { PutEventsEntry } from '../../../../infra/local/events/put-events.ts';

type Noted = {
  source: string;
  detail: { metadata: Pick<ActionLogDetail['metadata'], 'id' | 'entrySha256' | 'sourceId'> };
  acceptedAt: number;
};

export type EventTally = {
  /** Answers a PutEvents: every event is accepted. */
  accept: (body: string) => Answer;
  events: () => Iterable<Noted>;
};

export function tallyEvents(): EventTally {
  const noted: Noted[] = [];
  return {
    accept: (body) => {
      const { Entries } = JSON.parse(body) as { Entries: PutEventsEntry[] };
      for (const entry of Entries) if (entry.Source === ACTION_LOG_SOURCE) noted.push(note(entry));
      const accepted = Entries.map((_, index) => ({ EventId: `${noted.length}-${index}` }));
      return { status: 200, body: JSON.stringify({ FailedEntryCount: 0, Entries: accepted }) };
    },
    events: () => noted,
  };
}

function note({ Detail = '{}' }: PutEventsEntry): Noted {
  const { id, entrySha256, sourceId } = (JSON.parse(Detail) as ActionLogDetail).metadata;
  return { source: ACTION_LOG_SOURCE, detail: { metadata: { id, entrySha256, sourceId } }, acceptedAt: 0 };
}
