import { expect, it } from 'vitest';
import { openRun } from '../../../../functions/poller/run/run.ts';
import type { ServiceSession } from '../../../../functions/source/session.ts';
import { createMemoryPorts } from '../../../support/memory-ports.ts';
import { contextOf, NOW, serviceOf, stateOf } from '../builders.ts';

it('a run logs what the service answered to its login otherwise than documented', () => {
  const context = contextOf();
  const { session } = serviceOf(context.clock).service;
  let attached: Parameters<ServiceSession['attach']>[0] | null = null;
  const attach: ServiceSession['attach'] = (run) => void (attached = run);
  const ports = { ...createMemoryPorts({ now: () => NOW }), session: { ...session, attach } };
  const lease = { sourceId: 'acme', owner: 'run', epoch: 0 };
  openRun(
    { ...context, ...ports, owner: 'run', remainingMs: 60_000, sharedLogins: null },
    { lease, state: stateOf(), orders: null },
  );

  attached!.onDeviation?.('expires_in is not a whole number');

  expect(context.log.lines).toEqual([
    {
      level: 'warn',
      message: 'The answer to the login is not as documented. The token is used all the same.',
      fields: { what: 'expires_in is not a whole number' },
    },
  ]);
});
