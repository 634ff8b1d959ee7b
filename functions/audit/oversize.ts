// The kept object of an entry that is too large for the bus: the detail that its event would have had.
import { isJsonObject, type JsonObject, parseJson } from '../shared/json.ts';

/** One line of JSON, `{"metadata":…,"data":…}`. Both parts are JSON text and are not parsed, so that every number keeps its text. */
export function toOversizeText({ entry, metadata }: { entry: string; metadata: string }): string {
  return `{"metadata":${metadata},"data":${entry}}\n`;
}

/** The entry in a kept object. SHA-256 of its canonical JSON is `metadata.entrySha256`. Throws SyntaxError for what is no such object. */
export function readOversizeText(text: string): { metadata: JsonObject; data: JsonObject } {
  const object = parseJson(text);
  const { metadata, data } = isJsonObject(object) ? object : {};
  if (!isJsonObject(metadata) || !isJsonObject(data)) throw new SyntaxError('It is no object with metadata and data.');
  return { metadata, data };
}
