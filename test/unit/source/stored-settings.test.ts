import { expect, it } from 'vitest';
import { readSourceSettings, type SourceInput, type SourceSettings } from '../../../functions/source/settings.ts';
import { fromStoredSettings, isSameSettings, toStoredSettings } from '../../../functions/source/stored-settings.ts';

const PLAIN = { sourceId: 'acme', baseUrl: 'https://api.example.org', timeZone: 'UTC', secretId: 'secret' };
const settingsOf = (more: Partial<SourceInput> = {}) => readSourceSettings({ ...PLAIN, ...more });

it('settings as by default take the four that are required', () => {
  expect(toStoredSettings(settingsOf())).toEqual(PLAIN);
});

it.each<Partial<SourceInput>>([
  {},
  { startFrom: 'beginning' },
  { pageSize: 20, maxRequestsPerMinute: 30 },
  { actionKeys: 'X', detailTypes: { TagChanged: ['Contact*'] }, fields: { id: '/id' } },
  { advanced: { lookback: { recent: 'PT5M' }, every: { settle: 'PT1H' } } },
  { every: 'PT5S' },
])('settings are the same after they were stored: %j', (more) => {
  const settings = settingsOf(more);

  const read = fromStoredSettings(JSON.parse(JSON.stringify(toStoredSettings(settings))) as SourceSettings);

  expect(read).toEqual(settings);
  expect(isSameSettings(read, settings)).toBe(true);
  expect(isSameSettings(read, { ...settings, secretId: 'another' })).toBe(false);
});

it('settings with ticks are stored whole, as older versions read them', () => {
  expect(toStoredSettings(settingsOf({ every: 'PT5S' }))).toEqual(settingsOf({ every: 'PT5S' }));
});
