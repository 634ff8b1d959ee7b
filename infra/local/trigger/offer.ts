// What a run offers to `npm run trigger`. The input comes from another process, so it is checked.
import { Problem } from '../../../functions/shared/problem.ts';
import type { ControlOperations } from '../cloud/control.ts';
import { deliverEvent, type Delivered, type DeliveryWorld, type Sent } from './deliver-event.ts';
import { triggerAction, type Triggered, type TriggerWorld } from './trigger-action.ts';

/** Input and answer of `POST /control/<name>`. */
export type Offered = {
  /** `within`: in how many ms the next poll begins at the latest. */
  trigger: { input: { name: string }; answer: Triggered & { within: number } };
  deliver: { input: Sent; answer: Delivered };
};

/** `local` null: a run against a real service, in which nothing is triggered. `runMs`: between two polls. */
export function offeredBy(
  world: DeliveryWorld & { local: TriggerWorld | null; runMs: number },
): ControlOperations & { [Name in keyof Offered]: (input: unknown) => Promise<Offered[Name]['answer']> } {
  return {
    trigger: async (input) => {
      const name = textIn(input, 'name');
      if (world.local === null)
        throw new Problem(
          'This run polls a real service, in which nothing is triggered. Samples work: --sample --to CONSUMER. Or start npm start without --source.',
        );
      return { ...(await triggerAction(name, world.local)), within: world.runMs };
    },
    deliver: async (input) => await deliverEvent(toSent(input), world),
  };
}

function toSent(input: unknown): Sent {
  const to = textIn(input, 'to');
  if (has(input, 'eventId')) return { to, eventId: textIn(input, 'eventId') };
  return { to, sample: has(input, 'sample') ? textIn(input, 'sample') : null };
}

function textIn(input: unknown, name: string): string {
  const value = has(input, name) ? (input as Record<string, unknown>)[name] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new Problem(`${name}: is ${value === undefined ? 'missing' : 'not a text'}; write a text.`);
}

/** Null counts as absent. */
function has(input: unknown, name: string): boolean {
  return typeof input === 'object' && input !== null && ((input as Record<string, unknown>)[name] ?? null) !== null;
}
