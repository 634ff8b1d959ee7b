import { entry } from './catalogued.ts';

export const otherActionLogged = entry({
  type: 'OtherActionLogged',
  when: 'Anything else: what no other type stands for, entries without an action key, and logins, reads and exports always, whatever their key.',
  use: 'Watch logins and exports by their action keys. A new kind of action may come here first, so whoever needs all entries takes this type too.',
  actionKeys: ['MemberLoggedIn', 'ContactsExported', 'SomethingNew'],
  data: { memberName: 'Ada Tanaka' },
});
