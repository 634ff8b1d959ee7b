// The package carries no types.
declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** `path`: folder of the database, in memory without one. */
  export default function dynalite(options: { path?: string; createTableMs?: number }): Server;
}
