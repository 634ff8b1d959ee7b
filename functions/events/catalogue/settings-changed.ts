import { entry } from './catalogued.ts';

export const settingsChanged = entry({
  type: 'SettingsChanged',
  when: 'Settings of the organisation, custom fields, select lists, roles, permissions or reference lists (countries, schools, sectors) have changed.',
  use: 'Refresh cached settings and lists; review changes of roles.',
  actionKeys: ['SettingsUpdated', 'CustomFieldCreated', 'RoleUpdated', 'SelectListUpdated'],
  data: { memberName: null, details: { page: 'Branding' } },
});
