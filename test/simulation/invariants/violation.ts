// What a checker says: the invariant of `docs/simulation.md` that does not hold, and what shows it.

export type Invariant =
  | 'I1 nothing lost'
  | 'I2 duplicates bounded'
  | 'I3 watermark'
  | 'I4 no silence'
  | 'I5 no secret'
  | 'I6 bounded'
  | 'I7 continuations kept'
  | 'I8 trail complete'
  | 'I9 own alone';

export type Violation = { invariant: Invariant; what: string };
