// The object that keeps an entry too large for the bus: the detail that its event would have had.
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { parseStrictJson } from './strict-json.ts';

/** One line of JSON, `{"metadata":…,"data":…}`. Both parts stay JSON text, so that numbers keep their digits. */
export function toOversizeText({ entry, metadata }: { entry: string; metadata: string }): string {
  return `{"metadata":${metadata},"data":${entry}}\n`;
}

/** Reads a kept object; `metadata.entrySha256` is the hash of its `data`. Throws SyntaxError for anything else. */
export function readOversizeText(text: string): { metadata: JsonObject; data: JsonObject } {
  const object = parseStrictJson(text);
  const { metadata, data, ...more } = isJsonObject(object) ? object : {};
  if (!isJsonObject(metadata) || !isJsonObject(data) || Object.keys(more).length > 0)
    throw new SyntaxError('it is not an object with metadata and data, and nothing else');
  return { metadata, data };
}
