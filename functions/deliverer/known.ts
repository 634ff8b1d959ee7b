// The destinations of the settings and those that commands made, without those whose items were altered.
import { createSeals } from '../destinations/keys.ts';
import type { DefinedDestination, Destination } from '../destinations/destination.ts';
import type { Known, StoredDefinition } from '../destinations/ports.ts';
import type { DestinationSecret } from '../destinations/secret.ts';

/** A definition counts with its seal and the newest revision of its name. One of the settings hides one of a command. */
export function knownDestinations(
  settings: readonly Destination[],
  stored: readonly StoredDefinition[],
  { master, destinations = {} }: DestinationSecret,
): Known {
  const seals = createSeals(master);
  const whyRefused = ({ name, revision, body, seal }: StoredDefinition): string | null => {
    if (settings.some((one) => one.name === name)) return 'cdk.json has one of that name';
    if (!seals.fits({ kind: 'definition', name, revision, body }, seal)) return 'its seal does not fit';
    return destinations[name]?.revision === revision ? null : 'it is not the newest revision';
  };
  const judged = stored.map((one) => ({ ...one, why: whyRefused(one) }));
  const made = judged
    .filter(({ why }) => why === null)
    .map(({ body, name, revision }): DefinedDestination => ({
      ...(JSON.parse(body) as Destination),
      name,
      definedBy: { revision },
    }));
  return {
    destinations: [...settings.map((one): DefinedDestination => ({ ...one, definedBy: 'settings' })), ...made],
    refused: judged.flatMap(({ name, why }) => (why === null ? [] : [{ name, why }])),
  };
}
