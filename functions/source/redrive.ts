// How an operator has the poller publish quarantined entries: only its role may publish events of entries.
import * as z from 'zod/mini';
import { objectInput, readInput, textInput } from '../shared/checked-input.ts';
import { BridgeError } from '../shared/errors.ts';
import type { SourceSettings } from './settings.ts';
import type { SourceState } from './state.ts';
import { fromStoredSettings } from './stored-settings.ts';

/** The event of an invocation. The settings are those that the last run has left: no request has any. */
export type RedriveRequest = { redrive: string[]; sourceId: string };

/** What became of one entry. `tooLarge`: its event is on the bus without data already. */
export type RedriveOutcome = {
  eventId: string;
  outcome: 'accepted' | 'refused' | 'failed' | 'tooLarge' | 'missing';
  /** Of the bus, where it did not take the event. */
  code?: string;
};

export const MAX_REDRIVEN = 10;

const LIST = `write a list of at most ${MAX_REDRIVEN} event ids`;
const request = objectInput({
  redrive: z
    .array(textInput('an event id'), { error: `is not a list; ${LIST}` })
    .check(z.maxLength(MAX_REDRIVEN, { error: `has too many members; ${LIST}` })),
  sourceId: textInput('the id of their source'),
});

export function isRedriveRequest(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'redrive' in event;
}

/** Throws InvalidSettings, also for settings: they are not a part of a request. */
export function readRedriveRequest(event: unknown): RedriveRequest {
  return readInput(request, event, { code: 'InvalidSettings', subject: 'The request to publish from quarantine' });
}

/** The settings of a source's last run. Throws InvalidSettings where none has left any yet. */
export function settingsLeft(state: SourceState | null, sourceId: string): SourceSettings {
  const settings = state?.peek?.settings;
  if (settings?.sourceId === sourceId) return fromStoredSettings(settings);
  throw new BridgeError('InvalidSettings', waitForRun(sourceId), { retryable: true, details: { sourceId } });
}

/** What to say where no run has left settings yet. */
export function waitForRun(sourceId: string): string {
  return `No run of ${sourceId} has left its settings yet, which say how its events are called. Wait for one run, and try again.`;
}
