// Seeds that have shown a bug, with a line on it. They are run before all others, for ever: what was found once stays found.

export const FOUND_SEEDS: Readonly<Record<number, string>> = {};
