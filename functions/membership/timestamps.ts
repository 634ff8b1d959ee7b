// Stamps of the service, read and written: with an offset, without one, in UTC, in seconds since 1970.

/** How a stamp is written: with an offset, ending in Z, as wall time without either, or as seconds since 1970. */
export type StampForm = 'offset' | 'utc' | 'wall' | 'unix';
/** How startDate and endDate are written. */
export type FilterForm = 'offset' | 'utc' | 'wall';
