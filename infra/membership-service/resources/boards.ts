// Discussion boards. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { BOARD } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';
import { pageByOffset } from '../http/page-of.ts';

export const listBoards: AnswerFunction = ({ query, organisation }, { personality }) => ({
  data: pageByOffset(organisation.boards, query).map((board) => toRecord(BOARD, personality.records, board)),
});
