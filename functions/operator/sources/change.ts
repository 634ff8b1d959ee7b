// `sources set|remove|repair`: of what commands have added.
import type { Command } from 'commander';
import { Problem } from '../../shared/problem.ts';
import { carryOut, type ChangeOptions, changing, sayNothingToDo } from '../change.ts';
import { type BridgeOptions, bridgeCommand, type Surroundings } from '../command.ts';
import { writtenIn } from './add.ts';
import { withAssignments } from './assignments.ts';
import {
  addedNamed,
  checkSettings,
  isSame,
  type KnownSource,
  type Opened,
  openSources,
  toSchedule,
  writeSource,
} from './opened.ts';

type Options = BridgeOptions & ChangeOptions;

export function setCommand(surroundings: Surroundings): Command {
  const text = 'Changes settings of a source that a command has added. With a file, all of them.';
  const examples = ['sources set acme every=PT5M', 'sources set acme settings.json'];
  return changing(bridgeCommand('set', text, examples))
    .argument('<source>', 'its name')
    .argument('<settings...>', 'settings such as every=PT5M, or a file as cdk.json has a source')
    .action(async (sourceId: string, texts: string[], options: Options) => {
      const opened = await openSources(surroundings, options);
      const before = addedNamed(opened, sourceId);
      const { secretId } = before.settings;
      const settings = texts.every((one) => one.includes('='))
        ? withAssignments(before.settings, texts)
        : { secretId, ...(await writtenIn(surroundings, texts, {})) };
      const now = checkSettings(opened, settings, surroundings.clock.now());
      if (now.sourceId !== sourceId || now.secretId !== secretId)
        throw new Problem(`The name and the secret of ${sourceId} stay. Add another source, and remove this one.`);
      if (isSame(settings, before.settings) && before.schedule !== null && before.stored !== null)
        return sayNothingToDo(surroundings, `${sourceId} has these settings.`, options);
      const isMoved = now.baseUrl !== checkSettings(opened, before.settings, surroundings.clock.now()).baseUrl;
      const bind = `membership-bridge credentials bind ${sourceId}`;
      const change = {
        command: `sources set ${sourceId}`,
        sourceId,
        plan: [
          `Polls ${sourceId} with the settings ${JSON.stringify(settings)}.`,
          ...(isMoved ? [`Nothing is sent to ${now.baseUrl} before its secret is bound to it: ${bind}`] : []),
        ],
        undo: `set it back. It is: ${JSON.stringify(before.settings)}`,
        run: async () => {
          await writeSource(opened, settings, { before, at: surroundings.clock.now() });
          return `${sourceId} has them from its next run on.${isMoved ? ` Now run: ${bind}` : ''}`;
        },
      };
      await carryOut(surroundings, opened, change, options);
    });
}

export function removeCommand(surroundings: Surroundings): Command {
  const text = 'Ends a source that a command has added. What is stored of it stays.';
  return changing(bridgeCommand('remove', text, ['sources remove acme']))
    .argument('<source>', 'its name')
    .action(async (sourceId: string, options: Options) => {
      const opened = await openSources(surroundings, options);
      const { settings } = addedNamed(opened, sourceId);
      const change = {
        command: `sources remove ${sourceId}`,
        sourceId,
        plan: [
          `Polls ${sourceId} no more.`,
          'Its state, its audit trail and its secret stay: added again, it goes on where it was.',
        ],
        undo: `membership-bridge sources add with these settings: ${JSON.stringify(settings)}`,
        run: async () => {
          await opened.schedules.remove(sourceId);
          await opened.items.remove(sourceId);
          return `${sourceId} is polled no more. A run that has begun ends within a minute.`;
        },
      };
      await carryOut(surroundings, opened, change, options);
    });
}

export function repairCommand(surroundings: Surroundings): Command {
  const text = 'Makes schedules and items again that are missing, and corrects function and role of schedules.';
  return changing(bridgeCommand('repair', text, ['sources repair', 'sources repair acme']))
    .argument('[source...]', 'only these')
    .action(async (names: string[], options: Options) => {
      const opened = await openSources(surroundings, options);
      const added = opened.known.filter(({ definedBy }) => definedBy === 'command');
      const asked = names.length === 0 ? added : names.map((name) => addedNamed(opened, name));
      const broken = asked.filter((one) => isBroken(opened, one));
      if (broken.length === 0) return sayNothingToDo(surroundings, 'Nothing is missing.', options);
      const change = {
        command: `sources repair ${broken.map(({ sourceId }) => sourceId).join(' ')}`.slice(0, 500),
        sourceId: null,
        plan: broken.map((one) => `${one.sourceId}: ${one.schedule === null ? 'makes its schedule' : 'corrects it'}.`),
        undo: 'not needed.',
        run: async () => {
          for (const one of broken)
            await writeSource(opened, one.settings, { before: one, at: surroundings.clock.now() });
          return `${broken.map(({ sourceId }) => sourceId).join(', ')}: repaired.`;
        },
      };
      await carryOut(surroundings, opened, change, options);
    });
}

/** What a deployment is about to make is not missing. */
function isBroken(opened: Opened, { schedule, stored, settings }: KnownSource): boolean {
  if (schedule === null) return stored?.added.adopting !== true;
  const { targetArn, roleArn } = toSchedule(opened, settings);
  return stored === null || schedule.targetArn !== targetArn || schedule.roleArn !== roleArn;
}
