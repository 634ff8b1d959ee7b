// `sources repair`: schedules and items as they should be.
import type { Command } from 'commander';
import { carryOut, type ChangeOptions, changing, sayNothingToDo } from '../change.ts';
import { type BridgeOptions, bridgeCommand, type Surroundings } from '../command.ts';
import { forEachSource, namesOf } from './for-each-source.ts';
import { addedNamed, isAdopting, isBroken, type KnownSource, type Opened, openSources, writeSource } from './opened.ts';
import { IF_REFUSED, noteOfDeployment } from './adopt.ts';

type Options = BridgeOptions & ChangeOptions;

export function repairCommand(surroundings: Surroundings): Command {
  const text =
    'Makes schedules and items again that are missing, corrects function and role of schedules, and forgets what a ' +
    'deployment has taken over.';
  return changing(bridgeCommand('repair', text, ['sources repair', 'sources repair acme']))
    .argument('[source...]', 'only these')
    .addHelpText('after', IF_REFUSED)
    .action(async (names: string[], options: Options) => {
      const opened = await openSources(surroundings, options);
      noteOfDeployment(surroundings, opened);
      const asked = names.length === 0 ? opened.known : names.map((name) => repairable(opened, name));
      const broken = asked.filter((one) => isTakenOver(opened, one) || isBrokenByCommand(opened, one));
      if (broken.length === 0) return sayNothingToDo(surroundings, nothingText(asked), options);
      const change = {
        command: `sources repair ${namesOf(broken)}`.slice(0, 500),
        sourceId: null,
        plan: broken.map((one) => `${one.sourceId}: ${repairText(one)}.`),
        undo: 'not needed.',
        run: async () =>
          await forEachSource(
            broken,
            async (one) =>
              one.definedBy === 'cdk.json'
                ? await opened.table.added.remove(one.sourceId)
                : await writeSource(opened, one.settings, { before: one, at: surroundings.clock.now() }),
            (done) => `${namesOf(done)}: repaired.`,
          ),
      };
      await carryOut(surroundings, opened, change, options);
    });
}

/** Throws a Problem for one that neither a command nor the deployment before has anything left of. */
function repairable(opened: Opened, name: string): KnownSource {
  const found = opened.known.find(({ sourceId }) => sourceId === name);
  return found !== undefined && isTakenOver(opened, found) ? found : addedNamed(opened, name);
}

/** cdk.json has it now, and no deployment that goes on may take that back. */
function isTakenOver({ bridge }: Opened, { definedBy, stored }: KnownSource): boolean {
  return definedBy === 'cdk.json' && stored !== null && bridge.deployment !== 'goesOn';
}

function isBrokenByCommand(opened: Opened, one: KnownSource): boolean {
  return one.definedBy === 'command' && isBroken(opened, one);
}

function repairText({ definedBy, schedule }: KnownSource): string {
  if (definedBy === 'cdk.json') return 'cdk.json has it now, so it is forgotten that a command added it';
  return schedule === null ? 'makes its schedule' : 'corrects it';
}

function nothingText(asked: readonly KnownSource[]): string {
  const waiting = asked.filter(isAdopting);
  return `Nothing is missing.${waiting.length === 0 ? '' : ` Waiting for a deployment: ${namesOf(waiting)}.`}`;
}
