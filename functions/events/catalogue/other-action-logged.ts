import { entry } from './catalogued.ts';

export const otherActionLogged = entry({
  type: 'OtherActionLogged',
  when: 'Anything else: actions without another type, entries without an action key, and all logins, reads and exports.',
  use: 'Watch logins and exports by their action keys. A new kind of action may come here first, so consumers that need all entries subscribe to this type, too.',
  actionKeys: ['MemberLoggedIn', 'ContactsExported', 'SomethingNew'],
  data: { memberName: 'Ada Tanaka', details: {} },
});
