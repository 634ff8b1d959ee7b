// `sources add`: a secret, an item and a schedule, in this order. Run again after it was ended, it goes on.
import type { Command } from 'commander';
import { isJsonObject, parseJson } from '../../shared/json.ts';
import { Problem } from '../../shared/problem.ts';
import { carryOut, type ChangeOptions, changing } from '../change.ts';
import { type BridgeOptions, bridgeCommand, type Surroundings } from '../command.ts';
import { withAssignments } from './assignments.ts';
import {
  checkSettings,
  isSame,
  type KnownSource,
  type Opened,
  openSources,
  type Written,
  writeSource,
} from './opened.ts';
import { findTagged, makeSecret, useSecret } from './secret.ts';

type Options = BridgeOptions & ChangeOptions & { id?: string; baseUrl?: string; timeZone?: string; secret?: string };

export function addCommand(surroundings: Surroundings): Command {
  const text = 'Adds a source, without a deployment: its first events follow within a minute.';
  const examples = [
    'sources add settings.json',
    'sources add --id acme --base-url https://… \\\n    --time-zone Europe/Paris',
  ];
  const command = changing(bridgeCommand('add', text, examples))
    .argument('[settings...]', 'a file as cdk.json has a source, or settings such as every=PT5M')
    .option('--id <source>', 'lower-case letters, digits and hyphens')
    .option('--base-url <address>', 'of the service, with https')
    .option('--time-zone <zone>', 'IANA name of the zone of the organisation')
    .option('--secret <name>', 'name or ARN of a secret with the tag of the bridge, instead of asking');
  return command.action(async (texts: string[], options: Options) => {
    const opened = await openSources(surroundings, options);
    const written = await writtenIn(surroundings, texts, options);
    const { sourceId, baseUrl } = checkSettings(opened, written, surroundings.clock.now());
    const before = checkNew(opened, sourceId, written);
    const { secretId = options.secret ?? before?.settings['secretId'] } = written;
    const present = await findTagged(opened, { sourceId, asked: secretId as string | undefined });
    const change = {
      command: `sources add ${sourceId}`,
      sourceId,
      plan: [
        present === null
          ? `Asks for username and password, and tries them with one login at ${baseUrl}. They become a secret for ${sourceId} alone.`
          : `Tries what the secret ${present.name} holds with one login at ${baseUrl}, and lets it be used for ${sourceId}.`,
        `Polls ${sourceId} from now on. cdk.json does not have it.`,
      ],
      undo: `membership-bridge sources remove ${sourceId}`,
      run: async () => {
        const secretArn =
          present === null
            ? await makeSecret(surroundings, opened, { sourceId, baseUrl })
            : await useSecret(surroundings, opened, { arn: present.arn, sourceId, baseUrl });
        await writeSource(opened, { ...written, secretId: secretArn }, { before, at: surroundings.clock.now() });
        return `${sourceId} is added. Its first run follows within a minute: membership-bridge status ${sourceId}`;
      },
    };
    await carryOut(surroundings, opened, change, options);
  });
}

/** The settings of a file and of the command line. Rejects with a Problem. */
export async function writtenIn(
  { readText }: Pick<Surroundings, 'readText'>,
  texts: readonly string[],
  { id, baseUrl, timeZone }: Pick<Options, 'id' | 'baseUrl' | 'timeZone'>,
): Promise<Written> {
  const files = texts.filter((text) => !text.includes('='));
  const [file, another] = files;
  if (another !== undefined)
    throw new Problem(`${another} is a second file. Name one file with the settings of a source.`);
  const read = file === undefined ? {} : parseJson(await readText(file));
  if (!isJsonObject(read)) throw new Problem(`${file} is no JSON object with the settings of a source.`);
  const given = Object.entries({ sourceId: id, baseUrl, timeZone }).filter(([, value]) => value !== undefined);
  const assigned = texts.filter((text) => text.includes('='));
  return withAssignments({ ...(JSON.parse(JSON.stringify(read)) as Written), ...Object.fromEntries(given) }, assigned);
}

/** What an `add` that was ended has left; null: nothing. Throws a Problem where there is such a source, or no room. */
function checkNew({ known, bridge }: Opened, sourceId: string, written: Written): KnownSource | null {
  const found = known.find((one) => one.sourceId === sourceId) ?? null;
  const { capacity } = bridge.rules;
  if (found === null && known.length >= capacity)
    throw new Problem(
      `There are ${known.length} sources, and "capacity" in cdk.json is ${capacity}. Raise it, and deploy.`,
    );
  if (found === null) return null;
  if (found.definedBy === 'cdk.json')
    throw new Problem(`${sourceId} is written in cdk.json: change it there, and deploy.`);
  const { secretId = written['secretId'], ...settings } = found.settings;
  if (found.schedule === null && isSame({ ...settings, secretId }, { ...written, secretId })) return found;
  throw new Problem(
    found.schedule === null
      ? `${sourceId} is stored with other settings and has no schedule. To make it: membership-bridge sources repair ${sourceId}`
      : `There is a source ${sourceId} already. To change it: membership-bridge sources set ${sourceId}`,
  );
}
