// Why a command of the operator's tool gives up: something the person at the terminal can put right.

/** A failure whose message, one line or several, says what to do. The command ends with exit code 2. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
