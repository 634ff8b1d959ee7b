// The local membership service in its own process, so that measuring does not share its processor.
import { startMembershipService } from '../../../../infra/membership-service/service.ts';

export type Told = { url: string; username: string; password: string; entries: string[] };
/** The processor time of the process so far. */
export type Used = { cpuMs: number };

const [personality = 'ordinary', entries = '10000'] = process.argv.slice(2);
const service = await startMembershipService({
  personality: personality as 'ordinary',
  history: { entries: Number(entries), days: 365 },
});
process.send?.({
  url: service.url,
  username: service.username,
  password: service.password,
  entries: service.entries().map(({ json }) => json),
} satisfies Told);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000 } satisfies Used);
});
process.on('disconnect', () => process.exit(0));
