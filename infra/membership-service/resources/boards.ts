// Discussion boards. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../http/operations.ts';
import { BOARD } from '../records/record-names.ts';
import { toRecord } from '../records/record-shape.ts';

export const listBoards: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.boards.map((board) => toRecord(BOARD, personality.records, board)),
});
