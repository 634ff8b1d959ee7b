// The time of a world: it passes only where something takes time, and all who live in the world hear of it.

export type Time = {
  /** Ms since 1970. */
  now: () => number;
  pass: (ms: number) => void;
};

export function createTime(startAt: number): Time {
  let now = startAt;
  return {
    now: () => now,
    pass: (ms) => {
      now += Math.max(0, Math.round(ms));
    },
  };
}
