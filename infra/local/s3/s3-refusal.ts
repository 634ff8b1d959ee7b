// A refusal of S3: a status, and a code in XML that becomes the error's name in the SDK.
import type { Answer } from '../platform/aws-call.ts';
import { escapeHtml } from '../../shared/escape-html.ts';

export class S3Refusal extends Error {
  override readonly name = 'S3Refusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const XML_HEADERS = { 'content-type': 'application/xml' };

export function s3RefusalAnswer({ status, code, message }: S3Refusal): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeHtml(message)}</Message></Error>`;
  return { status, body, headers: XML_HEADERS };
}
