// Failures of AWS calls, for a person at a terminal: one line that says what to do.
import { BridgeError } from '../../shared/errors.ts';
import { NotAllowed, Problem } from '../../shared/problem.ts';
import { toSdkFailure } from '../sdk-failure.ts';

const DENIED = /^AccessDenied|^UnauthorizedOperation$|^NotAuthorized|^AuthorizationError/;
const NOT_ACCEPTED =
  /^(?:UnrecognizedClient|InvalidClientTokenId|ExpiredToken|InvalidSignature|SignatureDoesNotMatch|InvalidAccessKeyId|AuthFailure)/;
const NO_CREDENTIALS = /^(?:CredentialsProviderError|TokenProviderError)$/;
const NOT_REACHED = /^(?:E[A-Z]+|TimeoutError|RequestTimeout)$/;

/** Runs a call to AWS. `action` is its name in a policy. Rejects with NotAllowed or another Problem. */
export async function asOperator<Result>(action: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toProblem(action, error);
  }
}

function toProblem(action: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  const name = nameOf(error);
  if (DENIED.test(name)) return new NotAllowed(action);
  if (NO_CREDENTIALS.test(name))
    return new Problem('No AWS credentials were found. Log in, for example with `aws sso login`, and set AWS_PROFILE.');
  if (NOT_ACCEPTED.test(name))
    return new Problem(
      `AWS does not accept your credentials (${name}). Log in again, for example with "aws sso login".`,
    );
  if (NOT_REACHED.test(name))
    return new Problem(
      `AWS could not be reached for ${action} (${name}). Check the network, the region and AWS_ENDPOINT_URL.`,
    );
  // The messages of the other errors may repeat what was sent.
  const said = error instanceof BridgeError ? ` ${error.message}` : '';
  return new Problem(`${action} failed with ${name}.${said}`);
}

/** Errors of the bridge's own stores carry the name of AWS's error. */
function nameOf(error: unknown): string {
  if (!(error instanceof BridgeError)) return toSdkFailure(error).name;
  const { error: name } = error.details;
  return typeof name === 'string' ? name : error.code;
}
