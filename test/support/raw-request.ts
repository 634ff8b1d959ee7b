// A request with exactly the headers of a test, `Host` included, which `fetch` sets itself.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export type RawAnswer = { status: number; body: string; headers: Readonly<Record<string, unknown>> };

export async function rawRequest(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const isTwice = Object.values(headers).some((value) => Array.isArray(value));
  // As pairs a name may come twice, and Node adds no Host.
  const pairs = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
  const outgoing = request(url, { method, headers: isTwice ? pairs : headers, agent: false }, (answer) => {
    const { statusCode: status = 0 } = answer;
    text(answer).then((body) => resolve({ status, body, headers: answer.headers }), reject);
  });
  outgoing.on('error', reject).end(body);
  return await promise;
}
