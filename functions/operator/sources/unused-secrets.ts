// Which secrets of a bridge no source has any more: decisions without I/O.
import { stackSecretIn } from '../../source/fixed-names.ts';
import type { StackResource, TaggedSecret } from '../bridge/ports.ts';

type Used = {
  /** How schedules and stored items name secrets: by a name, an ARN, or a logical id of the data stack. */
  named: readonly unknown[];
  /** Of the data stack. */
  resources: readonly StackResource[];
};

/** Those with the tag of the bridge that nothing names; what a stack holds is in use, whatever it is. */
export function unusedSecrets(secrets: readonly TaggedSecret[], { named, resources }: Used): TaggedSecret[] {
  const held = new Set(resources.map(({ physicalId }) => physicalId));
  const names = named.filter((name) => typeof name === 'string');
  const beginnings = names.flatMap((name) => {
    const { logicalId } = stackSecretIn(name) ?? {};
    // A stack that does not have it may be being deployed: then any of that beginning may be meant.
    const isHeld = resources.some((one) => one.logicalId === logicalId);
    return logicalId === undefined || isHeld ? [] : [`${logicalId}-`];
  });
  return secrets.filter(({ arn, name }) => {
    if (held.has(arn) || held.has(name)) return false;
    // An ARN without the six characters at its end names the secret, too.
    const isNamed = names.some((one) => one === arn || one === name || one === arn.slice(0, -7));
    return !isNamed && !beginnings.some((beginning) => name.startsWith(beginning));
  });
}
