// Any receiver of lines of JSON, or of a JSON array, that wants a token.
import { type Collector, type CollectorOptions, idIn, isRecord, parsed } from './collector.ts';

const MAX_BYTES = 5_000_000;

export function createLines({ token, isBad = () => false }: CollectorOptions): Collector {
  return ({ method, headers, body }, collected) => {
    if (method !== 'POST') return { status: 405, body: '' };
    if (headers['authorization'] !== token) return { status: 401, body: 'unauthorized' };
    if (Buffer.byteLength(body) > MAX_BYTES) return { status: 413, body: 'too large' };
    const type = headers['content-type'] ?? '';
    const read = type === 'application/x-ndjson' ? body.trimEnd().split('\n').map(parsed) : parsed(body);
    if (!Array.isArray(read)) return { status: 415, body: 'neither lines of JSON nor an array' };
    const all = read as unknown[];
    if (!all.every((one) => isRecord(one) && !isBad(idIn(one)))) return { status: 400, body: 'a line is no event' };
    collected.add(all.map((one) => ({ id: idIn(one), text: JSON.stringify(one) })));
    return { status: 204, body: '' };
  };
}
