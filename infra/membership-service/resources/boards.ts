// Discussion boards. Every field is invented: the interface document does not show their payload.
import type { AnswerFunction } from '../http/operations.ts';
import { BOARD } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const listBoards: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.boards.map((board) => toRecord(BOARD, personality.records, board)),
});
