// How every function of the bridge is bundled.
import { resolve } from 'node:path';
import { LogLevel, OutputFormat, SourceMapMode, type BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';

/** The folder with package.json. */
export const PROJECT_FOLDER = resolve(import.meta.dirname, '../..');

export const BUNDLING: BundlingOptions = {
  // As an ES module undici fails to load: it requires node:assert in a way that only CommonJS supports.
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // The SDK in the runtime changes without a deployment, and loads more slowly than a bundled one.
  bundleAwsSDK: true,
  sourceMap: true,
  sourceMapMode: SourceMapMode.DEFAULT,
  sourcesContent: false,
  logLevel: LogLevel.WARNING,
};

/**
 * Makes the runtime read the source maps, and V8 collect young objects in 8 MB instead of 48, which saves a function up
 * to 100 MB.
 */
export const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';
