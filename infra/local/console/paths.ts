// The pages of the console, in the order of its menu.

export const PAGES = [
  { path: '/', title: 'Overview' },
  { path: '/events', title: 'Events' },
  { path: '/consumers', title: 'Consumers' },
  { path: '/destinations', title: 'Destinations' },
  { path: '/service', title: 'The service' },
  { path: '/quarantine', title: 'Quarantine' },
  { path: '/audit', title: 'Audit' },
  { path: '/outbox', title: 'Outbox' },
  { path: '/make', title: 'Simulate' },
] as const;

export type PagePath = (typeof PAGES)[number]['path'];
