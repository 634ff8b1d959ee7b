import { describe, expect, test } from 'vitest';
import { leftOutLine, toRunContext } from '../../../../../infra/local/run/bridge-context.ts';

const source = { sourceId: 'local', timeZone: 'Europe/Istanbul' };
const bridge = { eventLog: true, consumers: { memberChange: false }, sources: [{ sourceId: 'acme' }] };

describe('the settings of a run', () => {
  test('are those of cdk.json with the source of the run alone', () => {
    const context = toRunContext({ bridge, other: 1 }, { source, allConsumers: false });

    expect(context).toEqual({ bridge: { ...bridge, sources: [source] } });
  });

  test('are those of the first environment where there are several', () => {
    const environments = [{ ...bridge, environmentName: 'test' }, bridge];

    const context = toRunContext({ bridge: environments }, { source, allConsumers: false });

    expect(context.bridge).toEqual({ ...bridge, environmentName: 'test', sources: [source] });
  });

  test('have every consumer where all are asked for, and a source where cdk.json says nothing', () => {
    const context = toRunContext({}, { source, allConsumers: true });

    expect(context.bridge).toMatchObject({ consumers: { memberChange: true }, sources: [source] });
  });

  test('tell an example of each kind of channel where all are asked for and cdk.json has none', () => {
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

  test('have an audit copy where all are asked for: that of cdk.json, or one with nothing said of it', () => {
    const { bridge: run } = toRunContext({}, { source, allConsumers: true });
    const own = toRunContext({ bridge: { audit: { lockDays: 7 } } }, { source, allConsumers: true });

    expect(run['audit']).toEqual({});
    expect(own.bridge['audit']).toEqual({ lockDays: 7 });
    expect(toRunContext({}, { source, allConsumers: false }).bridge).not.toHaveProperty('audit');
  });

  test('leave out who would be posted to in the real world, and that is told', () => {
    const written = { bridge: { ...bridge, apiDestinations: [{ name: 'crm' }] } };

    expect(toRunContext(written, { source, allConsumers: true }).bridge).not.toHaveProperty('apiDestinations');
    expect(leftOutLine(written)).toMatch(/^The 1 apiDestinations of cdk.json are left out/);
    expect(leftOutLine({ bridge })).toBeNull();
  });
});
