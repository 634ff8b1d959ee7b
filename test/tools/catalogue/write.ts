// `npm run reference:events`: writes docs/events.md and the samples in docs/events.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { catalogueFiles } from './page.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');

mkdirSync(join(DOCS, 'events'), { recursive: true });
for (const [path, text] of Object.entries(catalogueFiles())) writeFileSync(join(DOCS, path), text);
console.log(`${Object.keys(catalogueFiles()).length} files in docs are up to date.`);
