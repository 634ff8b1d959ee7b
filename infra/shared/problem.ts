// The two ways in which the local runtime gives up: something a person can put right, and something it was never taught.

/** A failure that a person at the terminal can put right; the message is one line (or one per problem) and says what to do. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
}

/** Something in the template or in a call that the local runtime does not know; it names it and never guesses. */
export class NotKnownHere extends Problem {
  override readonly name = 'NotKnownHere';

  /** `what` completes "The local runtime does not know"; `file` is where it would be taught. */
  constructor(what: string, file: string) {
    super(`The local runtime does not know ${what}. Teach it in infra/local/${file}, or leave it out of the stack.`);
  }
}
