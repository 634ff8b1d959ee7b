// `membership-bridge sweeps restart`, against a bridge under another account and a service over sockets.
import { expect, onTestFinished, test } from 'vitest';
import { startMembershipService } from '../../../infra/membership-service/service.ts';
import { startOperatedBridge, synthesizeFirst } from '../../support/operated-bridge.ts';
import { operatorOf } from '../../support/operator-commands.ts';

synthesizeFirst();

test('sweeps restart says of a source that is in the midst of nothing that it is, and what it did in the history', async () => {
  const service = await startMembershipService({ history: { entries: 5, days: 1 } });
  onTestFinished(async () => await service.close());
  const acme = { baseUrl: service.url, timeZone: service.personality.stamps.timeZone };
  const cloud = await startOperatedBridge({ settings: { acme } });
  cloud.putSecret('acme', service);
  const operate = operatorOf(cloud);
  await cloud.invoke('acme');

  const idle = await operate('sweeps', 'restart', 'acme', '--yes');
  const unknown = await operate('sweeps', 'restart', 'nobody', '--yes');
  const history = await operate('history', 'acme');
  const next = await cloud.invoke('acme');

  expect([idle.code, idle.out]).toEqual([0, expect.stringContaining('acme has no open span. Nothing was changed.')]);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('nobody')]);
  expect(history.out).toMatch(/\tsweeps restart acme\tdone\t/);
  expect(next.result).toMatchObject({ outcome: 'idle' });
});
