// Marks of what must not leak: each kind has a mark of its own, so that one search finds all of that kind.

/** In every password and every token. */
export const SECRET_MARK = 'sEcR3t~mArK';
/** In every continuation; header-safe. */
export const CONTINUATION_MARK = 'C0nTiNuAtI0n';
/** In the name of every member, and so in every entry. */
export const MEMBER_MARK = 'MeMbErMaRk';
