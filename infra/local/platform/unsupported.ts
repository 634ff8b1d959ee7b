import { Problem } from '../../../functions/shared/problem.ts';

/** Something in the template or in a call that the local runtime does not support: it names it and never guesses. */
export class Unsupported extends Problem {
  override readonly name = 'Unsupported';

  /** `what` completes "The local runtime does not support"; `file`, in infra/local, is where support would be added. */
  constructor(what: string, file: string) {
    super(`The local runtime does not support ${what}. Add it in infra/local/${file}, or leave it out of the stack.`);
  }
}
