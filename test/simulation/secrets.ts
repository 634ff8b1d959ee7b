// What must never be seen where it does not belong. Each kind carries a mark that nothing else has, so that one search finds all of its kind.

/** In every password and every token. */
export const SECRET_MARK = 'sEcR3t~mArK';
/** In every continuation; header-safe. */
export const CONTINUATION_MARK = 'C0nTiNuAtI0n';
/** In the name of every member, and so in every entry. */
export const MEMBER_MARK = 'MeMbErMaRk';
