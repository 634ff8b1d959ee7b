// Whether the bus exists: PutEvents to a bus that does not reports success, so it is asked before the first publish.
import { DescribeEventBusCommand, type EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { Clock } from '../../shared/clock.ts';
import { BridgeError } from '../../shared/errors.ts';
import { abortAt, backOff } from '../back-off.ts';
import { toBridgeError, toSdkFailure } from '../sdk-failure.ts';

/** A function may stay warm for hours, and a bus deleted meanwhile would swallow all of them. */
const CONFIRMED_FOR_MS = 600_000;

/**
 * Makes the check of one bus. It asks once, and again after ten minutes; passing failures are repeated until `deadlineAt`.
 * Rejects with BusMissing, or with PublishFailed where the question itself fails.
 */
export function createBusCheck({
  client,
  busName,
  clock,
}: {
  client: EventBridgeClient;
  busName: string;
  clock: Clock;
}) {
  let askAgainAt = -Infinity;
  return async function confirmBus(deadlineAt: number): Promise<void> {
    for (let repeat = 1; clock.now() >= askAgainAt; repeat += 1) {
      try {
        await client.send(new DescribeEventBusCommand({ Name: busName }), { abortSignal: abortAt(clock, deadlineAt) });
        askAgainAt = clock.now() + CONFIRMED_FOR_MS;
      } catch (error) {
        const failure = toFailure(error, busName);
        if (!failure.retryable || !(await backOff(clock, repeat, deadlineAt))) throw failure;
      }
    }
  };
}

function toFailure(error: unknown, busName: string): BridgeError {
  if (toSdkFailure(error).name !== 'ResourceNotFoundException')
    return toBridgeError('PublishFailed', error, {
      doing: `Asking whether the event bus ${busName} exists`,
      advice: 'Check the name of the bus, and that the function has the right events:DescribeEventBus on it.',
      details: { busName },
    });
  return new BridgeError(
    'BusMissing',
    `There is no event bus ${busName}. Deploy the stack that creates it, or correct EVENT_BUS_NAME.`,
    {
      retryable: false,
      details: { busName },
    },
  );
}
