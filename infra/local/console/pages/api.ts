// Requests to the server of the console. The key of the run comes with the first address, and stays in this browser.
import type { CommandResult, Refusal } from '../messages.ts';

const STORED = 'run-key';
const KEY_HEADER = 'x-run-key';

/** Takes the key out of the address, so that no history, title or picture shows it. False if there is none. */
export function takeKey(): boolean {
  const [, key] = /^#key=([0-9A-F]+)$/.exec(location.hash) ?? [];
  if (key === undefined) return false;
  // A new tab, such as of a click with Ctrl, has it too. When the run has ended, it opens nothing.
  localStorage.setItem(STORED, key);
  history.replaceState(null, '', location.pathname);
  return true;
}

/** For what cannot send a header: frames, and streams of server-sent events. */
export function withKey(path: string): string {
  const url = new URL(path, location.href);
  url.searchParams.set('key', keyOf());
  return `${url.pathname}${url.search}`;
}

/** Rejects with an Error that says what to do. */
export async function ask<Answer>(path: string, body?: unknown): Promise<Answer> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(path, { ...init, headers: { [KEY_HEADER]: keyOf() } }).catch(() => {
    throw new Error('The run does not answer. Has it ended? Start it again, and open the address that it prints.');
  });
  const value: unknown = await answer.json();
  if (answer.ok) return value as Answer;
  throw new Error((value as Refusal).error);
}

/** Runs a command of `membership-bridge`. */
export async function command(...args: readonly string[]): Promise<CommandResult> {
  return await ask('/api/command', args);
}

/** What it printed as JSON. Rejects with what it said where it failed. */
export async function commandJson<Value>(...args: readonly string[]): Promise<Value> {
  const { out, err } = await command(...args, '--json');
  try {
    return JSON.parse(out) as Value;
  } catch {
    throw new Error(err.trim() === '' ? `membership-bridge ${args.join(' ')} printed nothing.` : err.trim());
  }
}

export function keyOf(): string {
  return localStorage.getItem(STORED) ?? '';
}
