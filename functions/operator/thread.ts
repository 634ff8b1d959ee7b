// Commands in a thread that lasts: they come as messages, several at a time, and each one's output goes back as such.
import type { MessagePort } from 'node:worker_threads';
import type { createOutput } from './terminal/output.ts';

type Streams = Parameters<typeof createOutput>[0];

/** What a command has of its process, or of its place in a thread. */
export type CommandIo = Streams & {
  /** Resolves at Ctrl-C, which from then on ends the process only by it. */
  interruption: () => Promise<void>;
  /** The code with which the process ends; 0 unless it is called. */
  exitWith: (code: number) => void;
};

/** `args` null: interrupts the command of that number. */
export type ToThread = { id: number; args: readonly string[] | null };

/** `code` is the last of a command. */
export type FromThread = { id: number } & ({ name: 'out' | 'err'; text: string } | { name: 'code'; code: number });

export function serveCommands(port: MessagePort, run: (args: readonly string[], io: CommandIo) => Promise<void>): void {
  const interrupt = new Map<number, () => void>();
  const say = (message: FromThread): void => port.postMessage(message);
  const serve = async (id: number, args: readonly string[]): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    interrupt.set(id, resolve);
    let code = 0;
    await run(args, {
      out: { write: (text) => say({ id, name: 'out', text }) },
      err: { write: (text) => say({ id, name: 'err', text }) },
      interruption: async () => await promise,
      exitWith: (next) => void (code = next),
    });
    interrupt.delete(id);
    say({ id, name: 'code', code });
  };
  port.on('message', ({ id, args }: ToThread) => {
    if (args === null) interrupt.get(id)?.();
    else void serve(id, args);
  });
}
