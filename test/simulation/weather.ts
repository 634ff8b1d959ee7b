// What goes wrong at the moment: shares of calls, switched by the life of a world and read at every step.

export type Moment = 'before' | 'after';

export type Weather = {
  /** Shares of steps before or after which a run is killed, or freezes. */
  kill: number;
  freeze: number;
  /** The step before or after which a run is killed for certain: its number in the run, or its kind. */
  killAt: { step: number | string; moment: Moment } | null;
  /** How long a step takes, in ms. */
  fastestMs: number;
  slowestMs: number;
  service: {
    /** How long an answer takes after it was put together, in ms. */
    answerMs: number;
    down: boolean;
    /** Requests that fail in one of the ways of `service/transport.ts`. */
    trouble: number;
    /** Requests that are refused with 401 although the token is young. */
    unauthorized: number;
    /** Requests with a continuation that are refused. */
    refusedContinuation: number;
    /** 429 to everything until then, ms since 1970. */
    limitedUntil: number;
    forbidden: boolean;
  };
  table: {
    down: boolean;
    /** Attempts that are throttled, attempts whose answer is lost, and items that BatchWriteItem gives back. */
    throttled: number;
    lost: number;
    unprocessed: number;
  };
  /** Ticks that come late, by up to minutes, and twice. */
  ticks: { late: number; doubled: number };
  bus: {
    down: boolean;
    failed: number;
    /** Entries of a call that are not taken, and calls that are, but whose answer is lost. */
    partial: number;
    lost: number;
  };
};

export function fairWeather(): Weather {
  return {
    kill: 0,
    freeze: 0,
    killAt: null,
    fastestMs: 4,
    slowestMs: 60,
    service: {
      answerMs: 0,
      down: false,
      trouble: 0,
      unauthorized: 0,
      refusedContinuation: 0,
      limitedUntil: 0,
      forbidden: false,
    },
    table: { down: false, throttled: 0, lost: 0, unprocessed: 0 },
    ticks: { late: 0, doubled: 0 },
    bus: { down: false, failed: 0, partial: 0, lost: 0 },
  };
}

/** Nothing goes wrong, and no call takes any time. */
export function stillWeather(): Weather {
  return { ...fairWeather(), fastestMs: 0, slowestMs: 0 };
}

/** Faults of every kind, in the shares that `rough` times. */
export function foulWeather(rough: number): Weather {
  const fair = fairWeather();
  return {
    ...fair,
    kill: 0.006 * rough,
    freeze: 0.001 * rough,
    service: {
      ...fair.service,
      trouble: 0.06 * rough,
      unauthorized: 0.01 * rough,
      refusedContinuation: 0.02 * rough,
    },
    table: { down: false, throttled: 0.12 * rough, lost: 0.04 * rough, unprocessed: 0.1 * rough },
    ticks: { late: 0.05 * rough, doubled: 0.03 * rough },
    bus: { down: false, failed: 0.06 * rough, partial: 0.1 * rough, lost: 0.02 * rough },
  };
}
