// What would have been sent to people. Its contents are foreign: each is a document that can do nothing, for a frame.
import { Hono } from 'hono';
import { Problem } from '../../../../functions/shared/problem.ts';
import { batchText, framePage, headline } from '../../outbox/frame.ts';
import type { SentBatch, SentMessage } from '../../outbox/outbox.ts';
import { read, type ReadMail } from '../../outbox/read-mail.ts';
import type { SentList, SentRow } from '../messages.ts';
import type { ConsoleWorld } from '../world.ts';

/** The newest; more would be a long list for a page, and are in outbox.ndjson of the state folder. */
const MAX_ROWS = 200;
const MAX_HEADLINE_CHARACTERS = 200;

/** Even without the frame around it, nothing in it runs, asks for anything, or leads anywhere. */
const FRAME_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
  'x-dns-prefetch-control': 'off',
};

export function outboxApi({ cloud }: Pick<ConsoleWorld, 'cloud'>): Hono {
  const app = new Hono();
  let rows: SentRow[] = [];
  const find = async (index: string): Promise<ReadMail | SentMessage | SentBatch> => {
    const found = /^\d{1,9}$/.test(index) ? cloud.services.ses.resources.all()[Number(index)] : undefined;
    if (found === undefined) throw new Problem('There is no such message in the outbox.');
    return await read(found);
  };
  app.get('/', async (context) => {
    const known = rows;
    if (cloud.services.ses.resources.count() !== known.length) {
      const added = await Promise.all(cloud.services.ses.resources.all().slice(known.length).map(read));
      rows = [...known, ...added.map((one, index) => toRow(one, known.length + index))];
    }
    return context.json({ count: rows.length, rows: rows.slice(-MAX_ROWS).toReversed() } satisfies SentList);
  });
  app.get('/:index/text', async (context) => {
    const one = await find(context.req.param('index'));
    return context.json({ text: textOf(one) });
  });
  app.get('/:index/frame', async (context) => {
    const one = await find(context.req.param('index'));
    const scheme = context.req.query('scheme') === 'dark' ? 'dark' : 'light';
    const time = new Date(one.at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    return context.html(framePage(one, { scheme, time }), 200, FRAME_HEADERS);
  });
  return app;
}

function textOf(one: ReadMail | SentMessage | SentBatch): string {
  if (one.kind === 'forwarded') return batchText(one);
  return one.kind === 'mail' ? one.text : JSON.stringify(one.payload, null, 2);
}

function toRow(one: ReadMail | SentMessage | SentBatch, index: number): SentRow {
  const { kind, at } = one;
  const [from, to] = one.kind === 'mail' ? [one.from, one.to.join(', ')] : [null, placeOf(one)];
  return { index, kind, at, from, to, headline: headline(one).slice(0, MAX_HEADLINE_CHARACTERS) };
}

function placeOf(one: SentMessage | SentBatch): string {
  return one.kind === 'forwarded' ? one.to : `#${one.channel}`;
}
