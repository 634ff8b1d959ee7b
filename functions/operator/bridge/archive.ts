/** How long the archive keeps events. */
export const ARCHIVE_MS = 90 * 86_400_000;
