import { entry } from './catalogued.ts';

export const calendarEventChanged = entry({
  type: 'CalendarEventChanged',
  when: 'An event of the calendar, its registrations or its attendees have changed.',
  use: 'Keep a public calendar or a guest list up to date.',
  actionKeys: ['EventRegistrationCreated', 'EventUpdated', 'AttendeeRemoved'],
  data: { memberName: 'Ada Tanaka', details: { event: 'Annual meeting' } },
});
