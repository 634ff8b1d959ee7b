// `npm run reference`: writes the documents derived from the operation table and the local membership service.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { referenceDocuments } from './documents.ts';

const PROJECT_FOLDER = resolve(import.meta.dirname, '../../..');

for (const [path, text] of Object.entries(referenceDocuments())) {
  writeFileSync(join(PROJECT_FOLDER, path), text);
  console.log(path);
}
