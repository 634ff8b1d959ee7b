// What remains of an API destination of an earlier version: its dead letters, until they are dealt with.
import { RemovalPolicy } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Alarms } from '../alarms.ts';
import { DeadLetterQueue } from '../dead-letter-queue.ts';

export class FormerReceiver extends Construct {
  /** Its id and that of its queue never change: another one would be an empty queue. */
  constructor(scope: Construct, { name, alarms }: { name: string; alarms: Alarms }) {
    super(scope, `Receiver-${name}`);
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', { owner: name, alarms });
    queue.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
