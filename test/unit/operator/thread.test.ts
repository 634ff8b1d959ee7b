import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { type FromThread, serveCommands, type ToThread } from '../../../functions/operator/thread.ts';

test('gives each command its own output and code, and interrupts only the one that is named', async () => {
  const { port1: thread, port2: console } = new MessageChannel();
  onTestFinished(() => console.close());
  serveCommands(thread, async ([name = ''], { out, err, interruption, exitWith }) => {
    out.write(`${name} begins\n`);
    await interruption();
    err.write(`${name} ends\n`);
    if (name === 'first') exitWith(2);
  });
  const said: FromThread[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const tell = (message: ToThread): void => console.postMessage(message, []);
  console.on('message', (message: FromThread) => {
    said.push(message);
    if (message.name !== 'code') return;
    if (message.id === 1) tell({ id: 2, args: null });
    else resolve();
  });

  tell({ id: 1, args: ['first'] });
  tell({ id: 2, args: ['second'] });
  tell({ id: 1, args: null });
  await ended;

  expect(said).toEqual([
    { id: 1, name: 'out', text: 'first begins\n' },
    { id: 2, name: 'out', text: 'second begins\n' },
    { id: 1, name: 'err', text: 'first ends\n' },
    { id: 1, name: 'code', code: 2 },
    { id: 2, name: 'err', text: 'second ends\n' },
    { id: 2, name: 'code', code: 0 },
  ]);
});
