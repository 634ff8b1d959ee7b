// What a new secret holds until somebody writes the credentials into it.

/**
 * The username of a secret that nobody has filled in yet. The stack creates a secret with it, the poller pauses while it reads it, and no
 * login is ever sent with it. `.invalid` is reserved (RFC 2606), so that no account has this name.
 */
export const PLACEHOLDER_USERNAME = 'not-set@placeholder.invalid';

/** The url of a secret that nobody has filled in yet: a Slack channel pauses while it reads it, and nothing is ever sent there. */
export const PLACEHOLDER_URL = 'https://not-set.placeholder.invalid/';
