// Answers of the query protocol: XML made from the JSON that the operations return.
import type { Answer } from '../platform/aws-call.ts';
import { escapeHtml } from '../../shared/escape-html.ts';

const HEADERS = { 'content-type': 'text/xml' };

/** `{ A: [{ B: 1 }] }` becomes `<A><member><B>1</B></member></A>` in the operation's result. */
export function toQueryAnswer(operation: string, { status, body }: Answer): Answer {
  const value = JSON.parse(body) as Record<string, unknown>;
  if (status < 300) {
    const result = `<${operation}Result>${toXml(value)}</${operation}Result>`;
    return { status, headers: HEADERS, body: `<${operation}Response>${result}</${operation}Response>` };
  }
  const { __type: Code, message: Message } = value;
  const error = toXml({ Type: status < 500 ? 'Sender' : 'Receiver', Code, Message });
  return { status, headers: HEADERS, body: `<ErrorResponse><Error>${error}</Error></ErrorResponse>` };
}

function toXml(value: unknown): string {
  if (Array.isArray(value)) return value.map((member) => `<member>${toXml(member)}</member>`).join('');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, member]) => `<${name}>${toXml(member)}</${name}>`)
      .join('');
  return escapeHtml(String(value));
}
