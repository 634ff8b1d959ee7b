// Which destinations there are: those of cdk.json, and those that commands have made and nobody else has altered.
import { readInput } from '../shared/checked-input.ts';
import { BridgeError } from '../shared/errors.ts';
import type { DefinedDestination, Destination, DestinationRules } from './destination.ts';
import { destinationInput, toDestination } from './destination-input.ts';
import { createSeals, type Seals } from './keys.ts';
import type { Known, StoredDefinition } from './ports.ts';
import { type DestinationSecret, entryOf } from './secret.ts';

type Sources = {
  /** Of cdk.json. A stored one of the same name is left aside: it was moved there. */
  settings: readonly Destination[];
  stored: readonly StoredDefinition[];
};

/** Refuses each stored definition that is not sealed, not the newest, or points where it may not. */
export function toKnown({ settings, stored }: Sources, secret: DestinationSecret, rules: DestinationRules): Known {
  const others = stored.filter(({ name }) => !settings.some((setting) => setting.name === name));
  const seals = createSeals(secret.master);
  const read = others.map((definition) => readDefinition(definition, { seals, secret, rules }));
  return {
    destinations: [
      ...settings.map((setting) => ({ ...setting, definedBy: 'settings' as const })),
      ...read.filter((one) => 'url' in one),
    ],
    refused: read.filter((one) => 'why' in one),
  };
}

function readDefinition(
  { name, revision, body, seal }: StoredDefinition,
  { seals, secret, rules }: { seals: Seals; secret: DestinationSecret; rules: DestinationRules },
): DefinedDestination | Known['refused'][number] {
  if (!seals.fits({ kind: 'definition', name, revision, body }, seal))
    return { name, why: 'No command of this bridge wrote its definition, or somebody has altered it.' };
  // A newer one is sealed by who has the secret, and on its way: commands write it before they write the secret.
  if (revision < (entryOf(secret, name)?.revision ?? Infinity))
    return { name, why: 'Its definition is not the one that the secret names as the newest.' };
  const read = readDefinitionBody(name, body, rules);
  return 'url' in read ? { ...read, definedBy: { revision } } : read;
}

/** What a definition says, whoever has written it, or why it is of no use. */
export function readDefinitionBody(
  name: string,
  body: string,
  rules: DestinationRules,
): Destination | Known['refused'][number] {
  try {
    const read = toDestination(
      readInput(destinationInput(rules), JSON.parse(body), { code: 'InvalidSettings', subject: 'Its definition' }),
    );
    return read.name === name ? read : { name, why: `Its definition is that of ${read.name}.` };
  } catch (error) {
    if (error instanceof BridgeError) return { name, why: error.message };
    if (error instanceof SyntaxError) return { name, why: 'Its definition is no JSON.' };
    throw error;
  }
}
