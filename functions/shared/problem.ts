/** A failure that a person at the terminal can fix. The message has one line per problem and says what to do. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
}
