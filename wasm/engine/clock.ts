// The time of an evaluation, which the host gives with the input: nothing here reads a clock.

let time: i64 = 0;

/** Sets the time of the next evaluations, in nanoseconds since 1970. */
export function setTime(ns: i64): void {
  time = ns;
}

/** The time of this evaluation, in nanoseconds since 1970. */
export function timeNs(): i64 {
  return time;
}
