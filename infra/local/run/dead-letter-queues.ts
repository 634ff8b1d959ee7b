// Handles the dead-letter queues of the template, as an operator would.
import type { LocalCloud } from '../cloud/cloud.ts';
import type { Definitions } from '../cloud/definitions.ts';

/** Empties every queue for events that a rule, function or queue gave up on. Returns the number of purged messages. */
export function purgeDeadLetters({ definitions, services }: Pick<LocalCloud, 'definitions' | 'services'>): number {
  const queues = services.sqs.resources;
  const arns = [
    ...definitions.rules.flatMap(({ targets }) => targets.map(({ deadLetterArn }) => deadLetterArn)),
    ...definitions.invokeConfigs.map(({ onFailureArn }) => onFailureArn),
    ...definitions.queues.map(({ redrive }) => redrive?.deadLetterArn ?? null),
  ];
  const letters = definitions.queues.filter(({ arn }) => arns.includes(arn));
  const purged = letters.map(({ name }) => {
    const count = queues.depth(name);
    queues.find((queue) => queue.name === name)?.purge();
    return count;
  });
  return purged.reduce((total, count) => total + count, 0);
}

/** Whether a rule or a queue invokes a function. Otherwise no consumer can fail. */
export function hasConsumer({ rules, mappings }: Pick<Definitions, 'rules' | 'mappings'>): boolean {
  return (
    mappings.length > 0 ||
    rules.some(({ targets }) => targets.some(({ destination }) => destination.kind === 'function'))
  );
}
