import { describe, expect, test } from 'vitest';
import { leftOutLine, toRunContext } from '../../../../../infra/local/run/bridge-context.ts';

const source = { sourceId: 'local', timeZone: 'Europe/Istanbul' };
const bridge = { eventLog: true, consumers: { memberChange: false }, sources: [{ sourceId: 'acme' }] };

describe('the settings of a run', () => {
  test("are those of cdk.json with the run's source only", () => {
    const context = toRunContext({ bridge, other: 1 }, { source, allConsumers: false });

    expect(context).toEqual({ bridge: { ...bridge, sources: [source] } });
  });

  test('are those of the first environment of several', () => {
    const environments = [{ ...bridge, environmentName: 'test' }, bridge];

    const context = toRunContext({ bridge: environments }, { source, allConsumers: false });

    expect(context.bridge).toEqual({ ...bridge, environmentName: 'test', sources: [source] });
  });

  test('have every consumer if all are requested, and a source even without settings in cdk.json', () => {
    const context = toRunContext({}, { source, allConsumers: true });

    expect(context.bridge).toMatchObject({ consumers: { memberChange: true }, sources: [source] });
  });

  test('have an example of each kind of channel if all are requested and cdk.json has none', () => {
    const { bridge: run } = toRunContext({}, { source, allConsumers: true });
    const own = toRunContext({ bridge: { notifier: { channels: [] } } }, { source, allConsumers: true });

    expect(run['notifier']).toMatchObject({
      channels: [
        { kind: 'slack', timeZone: 'Europe/Istanbul' },
        { kind: 'email', timeZone: 'Europe/Istanbul' },
      ],
    });
    expect(own.bridge['notifier']).toEqual({ channels: [] });
  });

  test('have an audit copy if all are requested: the one in cdk.json, or the default', () => {
    const { bridge: run } = toRunContext({}, { source, allConsumers: true });
    const own = toRunContext({ bridge: { audit: { lockDays: 7 } } }, { source, allConsumers: true });

    expect(run['audit']).toEqual({});
    expect(own.bridge['audit']).toEqual({ lockDays: 7 });
    expect(toRunContext({}, { source, allConsumers: false }).bridge).not.toHaveProperty('audit');
  });

  test('leave out receivers in the real world, and say so', () => {
    const written = { bridge: { ...bridge, apiDestinations: [{ name: 'crm' }] } };

    expect(toRunContext(written, { source, allConsumers: true }).bridge).not.toHaveProperty('apiDestinations');
    expect(leftOutLine(written)).toMatch(/^The 1 apiDestinations of cdk.json are left out/);
    expect(leftOutLine({ bridge })).toBeNull();
  });
});
