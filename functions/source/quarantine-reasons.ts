// Why the bridge itself keeps an entry in quarantine; every other reason is the bus's code.

/** It seems to be published under another id (S74). It is published after HELD_MS without an operator's word. */
export const HELD = 'OtherId';
/** It names another organisation than the source's (S76). It stays until an operator names it. */
export const OTHER_ORGANISATION = 'OtherOrganisation';
/** It was held, and is published now. Lists leave it out, and it expires. */
export const RELEASED = 'Released';
export const HELD_MS = 72 * 3_600_000;
