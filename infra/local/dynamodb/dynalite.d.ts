// The package has no types.
declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** `path` is the folder of the database; without it the database is in memory. */
  export default function dynalite(options: { path?: string; createTableMs?: number }): Server;
}
