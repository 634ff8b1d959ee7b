// SQS as the local cloud opens it.
import { join } from 'node:path';
import type { Place } from '../cloudformation/template.ts';
import { jsonOperations, type LocalService } from '../platform/service.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { type LocalQueues, openQueues, type Redriven } from './queues.ts';
import { createSqs } from './sqs.ts';

type World = {
  stateFolder: string;
  endpointUrl: string;
  place: Place;
  definitions: { queues: readonly QueueDefinition[] };
  onDeadLetter?: (letter: { queueName: string; target: string; reason: string }) => void;
};

export function sqsService(world: World): LocalService<LocalQueues> {
  const { stateFolder, endpointUrl, place, definitions, onDeadLetter } = world;
  const onRedriven = ({ from, to, receiveCount }: Redriven): void =>
    onDeadLetter?.({ queueName: to, target: from, reason: `received ${receiveCount} times` });
  const queues = openQueues(join(stateFolder, 'queues'), definitions.queues, onRedriven);
  const urlOf = (queueName: string): string => `${endpointUrl}/${place.accountId}/${queueName}`;
  return { operations: jsonOperations(createSqs(queues, urlOf)), resources: queues, close: queues.close };
}
