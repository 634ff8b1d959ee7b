// Notices of the bridge on the bus, each given once: before the write that goes on past what it tells of.
import type { NoticeType } from '../events/event.ts';
import type { NoticeData } from '../events/notice-data.ts';
import { toNotice } from '../events/notices.ts';
import { BridgeError } from '../shared/errors.ts';
import { sha256Hex } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import type { EventBus } from '../source/ports.ts';

/** Notices remembered as given; an older one may be given again, with the same id. */
const MAX_REMEMBERED = 50;

/** Given anew by every run that has cause to: remembering them would only push the others out. */
const EACH_TIME: readonly NoticeType[] = ['LateEntriesFound', 'EntryQuarantined'];

export type Notices = {
  /**
   * Gives a notice unless one of this type and key was given. Rejects with PublishFailed when the bus does not take it; one that the bus refuses for good is
   * logged as an error and not given again, because the entries would wait for it for ever.
   */
  give<Type extends NoticeType>(type: Type, key: string, data: NoticeData[Type]): Promise<void>;
  /** What the state keeps of the notices given. */
  remembered(): string[];
};

export function createNotices(options: {
  bus: EventBus;
  log: Log;
  sourceId: string;
  requestId: string;
  now: () => number;
  deadlineAt: () => number;
  remembered: readonly string[];
}): Notices {
  let remembered = [...options.remembered];
  return {
    async give(type, key, data) {
      const mark = sha256Hex(`${type}\0${key}`).slice(0, 12);
      if (remembered.includes(mark)) return;
      const { sourceId, requestId } = options;
      const notice = toNotice({ type, sourceId, requestId, observedAt: options.now(), data, key });
      const [outcome] = await options.bus.publish([notice], { deadlineAt: options.deadlineAt() });
      if (outcome?.status === 'refused')
        options.log.error('The bus refuses a notice for good.', { notice: type, code: outcome.code });
      else if (outcome?.status !== 'accepted') throw notTaken(type);
      if (!EACH_TIME.includes(type)) remembered = [...remembered, mark].slice(-MAX_REMEMBERED);
    },
    remembered: () => remembered,
  };
}

function notTaken(type: NoticeType): BridgeError {
  return new BridgeError('PublishFailed', `The bus did not take the notice ${type}; the next run gives it again.`, {
    retryable: true,
    details: { notice: type },
  });
}
