// How every function of the bridge is bundled. Without the CDK, which takes half a second to load.
import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** The folder with package.json. */
export const PROJECT_FOLDER = resolve(import.meta.dirname, '../..');

/** Options of esbuild that write a handler's bundle and its map to a folder. The map has the path to the sources. */
export function bundleOptions(entry: string, outputFolder: string) {
  return {
    absWorkingDir: PROJECT_FOLDER,
    entryPoints: [entry],
    outfile: join(outputFolder, 'index.js'),
    // With the SDK: that of the runtime changes without a deployment, and loads more slowly than a bundled one.
    bundle: true,
    platform: 'node',
    // As an ES module undici fails to load: it requires node:assert in a way that only CommonJS supports.
    format: 'cjs',
    mainFields: ['module', 'main'],
    target: 'node24',
    // An import of node:http, which the SDK waits for, reads each of its exports, and some load a whole client.
    supported: { 'dynamic-import': false },
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  } as const satisfies BuildOptions;
}

/**
 * Folders with bundles by name, for a caller that knows the files that they are made from. The app copies from `known`
 * and adds to `made` what it had to make.
 */
export type KeptBundles = { known: string; made: string };

/** The context of the app with KeptBundles; without it, as `cdk deploy` runs the app, everything is bundled. */
export const KEPT_BUNDLES = 'keptBundles';

/** Writes the bundle of a handler to a folder. */
export function writeBundle(entry: string, outputFolder: string, kept?: KeptBundles): void {
  const place = JSON.stringify([entry, relative(outputFolder, PROJECT_FOLDER)]);
  const name = createHash('sha256').update(place).digest('hex').slice(0, 32);
  if (kept !== undefined && existsSync(join(kept.known, name))) {
    cpSync(join(kept.known, name), outputFolder, { recursive: true });
    return;
  }
  buildSync(bundleOptions(entry, outputFolder));
  if (kept !== undefined) cpSync(outputFolder, join(kept.made, name), { recursive: true });
}

/**
 * Makes the runtime read the source maps, and V8 collect young objects in 8 MB instead of 48, which saves a function up
 * to 100 MB.
 */
export const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';
