// Slack's blocks as HTML, roughly as Slack shows them. Markup in texts (mrkdwn) is shown as it was written.
import { escapeHtml } from '../../../shared/escape-html.ts';
import { nodesIn, type Node } from '../json-nodes.ts';

export function slackHtml({ text, blocks }: Node): string {
  const shown = nodesIn(blocks).map(blockHtml).join('');
  return shown === '' ? `<p>${escapeHtml(textIn(text))}</p>` : shown;
}

function blockHtml(block: Node): string {
  const { type, text, elements, fields } = block;
  if (type === 'header') return `<h3>${escapeHtml(textIn(text))}</h3>`;
  if (type === 'divider') return '<hr>';
  if (type === 'context') return `<p class="context">${nodesIn(elements).map(inlineHtml).join(' ')}</p>`;
  if (type === 'section')
    return [text, ...nodesIn(fields)].map((part) => `<p>${escapeHtml(textIn(part))}</p>`).join('');
  if (type === 'rich_text') return nodesIn(elements).map(richHtml).join('');
  return `<p class="context">${escapeHtml(`[${String(type)}]`)}</p>`;
}

function richHtml(part: Node): string {
  const elements = nodesIn(part['elements']);
  if (part['type'] === 'rich_text_list')
    return `<ul>${elements.map((item) => `<li>${nodesIn(item['elements']).map(inlineHtml).join('')}</li>`).join('')}</ul>`;
  return `<p>${elements.map(inlineHtml).join('')}</p>`;
}

function inlineHtml(node: Node): string {
  const { type, url, style } = node;
  const shown = escapeHtml(textIn(node));
  const { bold, italic } = (style ?? {}) as { bold?: boolean; italic?: boolean };
  const styled = [bold === true ? 'b' : '', italic === true ? 'i' : '']
    .filter((tag) => tag !== '')
    .reduce((inner, tag) => `<${tag}>${inner}</${tag}>`, shown);
  const isLink = type === 'link' && typeof url === 'string' && /^https?:/.test(url);
  return isLink ? `<a href="${escapeHtml(url)}" rel="noreferrer">${styled}</a>` : styled;
}

/** A text, or the text of a text object. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null && 'text' in value ? textIn(value.text) : '';
}

/** The style of the elements above. */
export const SLACK_STYLE = `
body { background: light-dark(#fff, #1a1d21); color: light-dark(#1d1c1d, #d1d2d3); font: 15px/1.47 Lato, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif }
.icon { background: #2f5fd0 } .from { font-weight: 700 } .from small, .context { color: light-dark(#616061, #ababad) }
h3 { font-size: 18px; line-height: 1.33 } p { margin: 6px 0 } .context { font-size: 13px; margin: 4px 0 } a { color: light-dark(#1264a3, #1d9bd1) }`;
