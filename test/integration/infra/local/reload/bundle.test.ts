import { describe, expect, test } from 'vitest';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAssembly } from '../../../../../infra/local/cloudformation/assembly.ts';
import { cachedAssembly } from '../../../../../infra/local/cloudformation/assembly-cache.ts';
import { bundle, entryOf } from '../../../../../infra/local/reload/bundle.ts';
import { readDefinitions } from '../../../../../infra/local/cloudformation/resources.ts';
import { readStacks } from '../../../../../infra/local/cloudformation/template.ts';

const source = { sourceId: 'acme', baseUrl: 'https://api.example.org', timeZone: 'Europe/Istanbul' };
const consumers = { memberChange: true };

async function filesIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

describe('bundle', () => {
  test('bundles every function to the same bytes as a synthesis', async () => {
    const context = { bridge: { sources: [source], consumers } };
    const { stacks, assetFolder } = await readAssembly(await cachedAssembly({ context, environment: process.env }));
    const folders = readDefinitions(readStacks(stacks)).functions.map(({ assetKey }) => assetFolder(assetKey));

    const made = await Promise.all(
      folders.map(async (folder) => await bundle((await entryOf(folder)) ?? 'no entry found', folder)),
    );

    expect(folders).toHaveLength(2);
    for (const [index, bundled] of made.entries()) {
      if ('problems' in bundled) throw new Error(bundled.problems.join('\n'));
      const files = [...bundled.files].map(([name, content]) => [name, content.toString()] as const);
      // Not one assertion for all: its difference would be a megabyte long.
      const deployed = await filesIn(folders[index] ?? '');
      expect(files.map(([name]) => name).sort()).toEqual([...deployed.keys()]);
      expect(files.filter(([name, content]) => deployed.get(name) !== content).map(([name]) => name)).toEqual([]);
    }
  });
});
