import { entry } from './catalogued.ts';

export const settingsChanged = entry({
  type: 'SettingsChanged',
  when: 'Settings of the organisation, custom fields, select lists, roles, permissions or reference lists (countries, schools, sectors) have changed.',
  use: 'Read cached settings and lists anew; let somebody look at changes of roles.',
  actionKeys: ['SettingsUpdated', 'CustomFieldCreated', 'RoleUpdated', 'SelectListUpdated'],
  data: { userName: 'Admin Istrator' },
});
