// The time of an evaluation, which is a part of its input: nothing here reads a clock.

import { fitsNanoseconds } from './builtins/time-civil';
import { rfc3339 } from './builtins/time-layout';
import { parsedNanos, parsedSeconds, parseTime } from './builtins/time-parse';
import { Failure, stop } from './failure';
import { get } from './object';
import { asciiString, Kind, kindOf } from './value';

const NANOS: i64 = 1000000000;

let input: u32 = 0;
let time: i64 = 0;
let isSet: bool = false;

/** Takes the time of this evaluation from its input (0 for none), when somebody asks for it. */
export function useInput(value: u32): void {
  input = value;
}

/** Sets the time, in nanoseconds since 1970, of evaluations whose input has none. */
export function setTime(ns: i64): void {
  time = ns;
  isSet = true;
}

/**
 * The time of this evaluation, in nanoseconds since 1970: `context.time` of the input (RFC 3339), or what was set.
 * Without either the evaluation ends, because a certificate or a token is never valid at no time.
 */
export function timeNs(): i64 {
  const text = member(member(input, 'context'), 'time');
  const given = text != 0 && kindOf(text) == Kind.String && parseTime(rfc3339(), text);
  if (given && fitsNanoseconds(parsedSeconds, parsedNanos))
    return parsedSeconds * NANOS + parsedNanos;
  if (!isSet) stop(Failure.Builtin);
  return time;
}

function member(value: u32, name: string): u32 {
  return value == 0 || kindOf(value) != Kind.Object ? 0 : get(value, asciiString(name));
}
