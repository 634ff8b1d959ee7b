// How every function of the bridge is bundled, in this one place.
import { resolve } from 'node:path';
import { LogLevel, OutputFormat, SourceMapMode, type BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';

/** The folder with package.json. */
export const PROJECT_FOLDER = resolve(import.meta.dirname, '../..');

export const BUNDLING: BundlingOptions = {
  // undici in an ES module fails at load: it requires node:assert in a way that only CommonJS has.
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  target: 'node24',
  minify: true,
  // The runtime's own SDK changes without a deployment, and loads slower than a bundled one.
  bundleAwsSDK: true,
  sourceMap: true,
  sourceMapMode: SourceMapMode.DEFAULT,
  sourcesContent: false,
  logLevel: LogLevel.WARNING,
};

/** Makes the runtime read the source maps. */
export const NODE_OPTIONS = '--enable-source-maps';
