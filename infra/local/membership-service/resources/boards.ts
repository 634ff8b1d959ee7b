// Discussion boards. Their payload is not shown in the interface document: every field is invented.
import type { AnswerFunction } from '../operations.ts';
import { BOARD } from '../record-names.ts';
import { toRecord } from '../record-shape.ts';

export const listBoards: AnswerFunction = ({ organisation }, { personality }) => ({
  data: organisation.boards.map((board) => toRecord(BOARD, personality.records, board)),
});
