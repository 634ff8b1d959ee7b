// How every function of the bridge is bundled.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AssetStaging } from 'aws-cdk-lib';
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

/** The same with texts beside the code, by file name. */
export function bundlingWith(files: Readonly<Record<string, string>>): BundlingOptions {
  if (Object.keys(files).length === 0) return BUNDLING;
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return {
    ...BUNDLING,
    // The CDK reuses a bundle that was made with the same options, and does not see what a hook does.
    environment: { FILES_SHA256: digest },
    commandHooks: { beforeInstall: () => [], beforeBundling: () => [], afterBundling: writeBeside(files) },
  };
}

/** Writes without a command, which would depend on the shell. The CDK also asks for the commands in a container. */
function writeBeside(files: Readonly<Record<string, string>>) {
  return (_inputDir: string, outputDir: string): string[] => {
    if (outputDir !== AssetStaging.BUNDLING_OUTPUT_DIR)
      for (const [name, text] of Object.entries(files)) writeFileSync(join(outputDir, name), text);
    return [];
  };
}

/**
 * Makes the runtime read the source maps, and V8 collect young objects in 8 MB instead of 48, which saves a function up
 * to 100 MB.
 */
export const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';
