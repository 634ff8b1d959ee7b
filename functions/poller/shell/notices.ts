// Notices of the bridge on the bus. Each is sent once, before the write that goes past what it reports.
import type { NoticeType } from '../../events/event.ts';
import type { NoticeData } from '../../events/notice-data.ts';
import { toNotice } from '../../events/notices.ts';
import { BridgeError } from '../../shared/errors.ts';
import { sha256Hex } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { EventBus } from '../../source/ports.ts';

/** Notices remembered as sent; an older one may be sent again, with the same id. */
const MAX_REMEMBERED = 50;

/** Sent by every run that has cause to: remembering them would only push the others out. */
const EACH_TIME: readonly NoticeType[] = ['LateEntriesFound', 'EntryQuarantined'];

export type Notices = {
  /**
   * Sends a notice unless one of this type and key was sent. Rejects with PublishFailed when the bus does not accept
   * it. One that the bus refuses for good is logged as an error and not sent again, because the entries would wait for
   * it for ever.
   */
  send<Type extends NoticeType>(type: Type, key: string, data: NoticeData[Type]): Promise<void>;
  /** What the state keeps of the notices sent. */
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
    async send(type, key, data) {
      const mark = sha256Hex(`${type}\0${key}`).slice(0, 12);
      if (remembered.includes(mark)) return;
      const { sourceId, requestId } = options;
      const notice = toNotice({ type, sourceId, requestId, observedAt: options.now(), data, key });
      const [outcome] = await options.bus.publish([notice], { deadlineAt: options.deadlineAt() });
      if (outcome?.status === 'refused')
        options.log.error('The bus refuses a notice for good.', { notice: type, code: outcome.code });
      else if (outcome?.status !== 'accepted') throw notAccepted(type);
      if (!EACH_TIME.includes(type)) remembered = [...remembered, mark].slice(-MAX_REMEMBERED);
    },
    remembered: () => remembered,
  };
}

function notAccepted(type: NoticeType): BridgeError {
  return new BridgeError('PublishFailed', `The bus did not accept the notice ${type}; the next run sends it again.`, {
    retryable: true,
    details: { notice: type },
  });
}
