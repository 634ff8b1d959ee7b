// Renders a Slack message as HTML, roughly like Slack, for the pictures.
import type { KnownBlock, RichTextBlockElement, RichTextElement, RichTextSection } from '@slack/types';
import { escapeHtml } from '../../../functions/consumers/notifier/channels/mail/email-layout.ts';
import type { SlackMessage } from '../../../functions/consumers/notifier/channels/slack/slack-message.ts';

const STYLE = `
body { margin: 0; padding: 20px 24px; background: #fff; color: #1d1c1d; font: 15px/1.47 Lato, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
.app { display: grid; grid-template-columns: 36px 1fr; gap: 10px; max-width: 640px; }
.icon { width: 36px; height: 36px; border-radius: 6px; background: #2f5fd0; }
.from { font-weight: 700; } .from small { font-weight: 400; color: #616061; margin-left: 6px; }
h3 { margin: 4px 0 6px; font-size: 18px; line-height: 1.33; }
.context { color: #616061; font-size: 13px; margin: 4px 0; }
.rich { margin: 6px 0; overflow-wrap: anywhere; } ul { margin: 2px 0; padding-left: 24px; } a { color: #1264a3; text-decoration: none; }`;

/** A document with one message. Throws TypeError for a block that the notifier does not make. */
export function toSlackPage({ blocks }: SlackMessage): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The notifier in Slack</title><style>${STYLE}
</style></head>
<body><div class="app"><div class="icon"></div><div>
<div class="from">Membership<small>10:30</small></div>
${blocks.map(toBlock).join('\n')}
</div></div></body>
</html>
`;
}

function toBlock(block: KnownBlock): string {
  if (block.type === 'header') return `<h3>${escapeHtml(block.text.text)}</h3>`;
  if (block.type === 'context') return `<div class="context">${block.elements.map(toContext).join(' ')}</div>`;
  if (block.type === 'rich_text') return `<div class="rich">${block.elements.map(toRich).join('')}</div>`;
  throw new TypeError(`There is no picture of ${block.type}.`);
}

function toContext(element: { type: string; text?: unknown }): string {
  return escapeHtml(String(element.text));
}

function toRich(element: RichTextBlockElement): string {
  if (element.type === 'rich_text_section') return toSection(element);
  if (element.type !== 'rich_text_list') throw new TypeError(`There is no picture of ${element.type}.`);
  return `<ul>${element.elements.map((item) => `<li>${toSection(item)}</li>`).join('')}</ul>`;
}

function toSection({ elements }: RichTextSection): string {
  return elements.map(toSpan).join('');
}

function toSpan(element: RichTextElement): string {
  if (element.type !== 'text' && element.type !== 'link')
    throw new TypeError(`There is no picture of ${element.type}.`);
  const text = escapeHtml(element.text ?? '');
  const strong = element.style?.bold === true ? `<b>${text}</b>` : text;
  return element.type === 'link' ? `<a href="${escapeHtml(element.url)}">${strong}</a>` : strong;
}
