// The synthesized templates and their assets: what `cdk deploy` would deploy, from the same infra/app.ts.
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../../functions/shared/problem.ts';
import type { Stack } from './template.ts';

export type Assembly = {
  folder: string;
  stacks: Stack[];
  /** The folder of an asset, by its object key in the template. */
  assetFolder: (key: string) => string;
};

export const PROJECT_FOLDER = resolve(import.meta.dirname, '../../..');

const UNTIL_HEARD_MS = 500;

/**
 * Runs infra/app.ts as the CDK's command does, bundling included, and reads the result. Takes about three seconds.
 * `context` overrides that of cdk.json. Rejects with a Problem that contains the app's output.
 */
export async function synthesize(options: {
  folder: string;
  context: Readonly<Record<string, unknown>>;
  /** Environment of the app's process. The bundler needs PATH. */
  environment: Readonly<Record<string, string | undefined>>;
}): Promise<Assembly> {
  const context = { ...(await readContext()), ...options.context };
  await mkdir(options.folder, { recursive: true });
  await runApp({
    // What Node has compiled of the CDK is kept, with that of functions/shared/launch.mjs.
    NODE_COMPILE_CACHE: join(PROJECT_FOLDER, 'node_modules/.cache/compiled'),
    ...options.environment,
    CDK_OUTDIR: options.folder,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  });
  // Bundles are CommonJS in .js files. Without this, the package.json of the project would make them ES modules.
  await writeFile(join(options.folder, 'package.json'), '{ "type": "commonjs" }\n');
  return readAssembly(options.folder);
}

/** The context of cdk.json. Rejects with a Problem if the file is not JSON. */
export async function readContext(folder = PROJECT_FOLDER): Promise<Readonly<Record<string, unknown>>> {
  const file = join(folder, 'cdk.json');
  try {
    const { context = {} } = await readJson<{ context?: Record<string, unknown> }>(file);
    return context;
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function runApp(environment: Record<string, string | undefined>): Promise<void> {
  const app = spawn(process.execPath, [join(PROJECT_FOLDER, 'infra/app.ts')], {
    cwd: PROJECT_FOLDER,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  app.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  app.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const kill = (): void => void app.kill();
  process.once('exit', kill);
  const { promise, resolve: ended, reject } = Promise.withResolvers<number | null>();
  app.once('error', reject).once('close', ended);
  const code = await promise.finally(() => process.off('exit', kill));
  // A Ctrl-C ends the app too, perhaps before this process hears of it: then nothing is wrong with the template.
  if (app.signalCode === 'SIGINT') await sleep(UNTIL_HEARD_MS);
  if (code !== 0)
    throw new Problem(`The template could not be synthesized:\n${Buffer.concat(output).toString().trim()}`);
}

type Manifest = {
  artifacts: Record<
    string,
    { type: string; properties?: { templateFile?: string; file?: string; stackName?: string } }
  >;
};
type AssetManifest = {
  files?: Record<string, { source: { path?: string }; destinations: Record<string, { objectKey: string }> }>;
};

/** Reads an assembly that already exists in a folder. */
export async function readAssembly(folder: string): Promise<Assembly> {
  const manifest = await readJson<Manifest>(join(folder, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts);
  const stacks = artifacts
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(async ([id, { properties }]) => ({
      name: properties?.stackName ?? id,
      template: await readJson<Stack['template']>(join(folder, properties?.templateFile ?? '')),
    }));
  const assetManifests = artifacts
    .filter(([, { type }]) => type === 'cdk:asset-manifest')
    .map(async ([, { properties }]) => await readJson<AssetManifest>(join(folder, properties?.file ?? '')));
  const assets = (await Promise.all(assetManifests)).flatMap((assets) => toAssets(folder, assets));
  return { folder, stacks: await Promise.all(stacks), assetFolder: (key) => findAsset(new Map(assets), key) };
}

function toAssets(folder: string, { files = {} }: AssetManifest): [key: string, folder: string][] {
  return Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }): [string, string] => [objectKey, join(folder, source.path ?? '')]),
  );
}

function findAsset(assets: ReadonlyMap<string, string>, key: string): string {
  const found = assets.get(key);
  if (found === undefined)
    throw new Problem(`The asset ${key} is not in the assembly. Remove the folder of the assembly and start again.`);
  return found;
}

async function readJson<Value>(file: string): Promise<Value> {
  return JSON.parse(await readFile(file, 'utf8')) as Value;
}
