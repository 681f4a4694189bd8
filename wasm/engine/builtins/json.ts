// json.marshal, json.unmarshal and json.is_valid as Go's encoding/json has them (OPA's v1/topdown/encoding.go).

import { mark, release } from '../../common/arena';
import { INPUT_LONE_SURROGATE } from '../../common/errors';
import { equal, VALUE_DEPTH_MAX } from '../compare';
import { Failure, failed } from '../failure';
import { jsonError, parseLenient } from '../json-parse';
import { sorted } from '../object';
import {
  asciiString,
  boolean,
  Kind,
  keyAt,
  kindOf,
  lengthOf,
  stringOf,
  TRUE,
  textOf,
  valueAt,
} from '../value';
import { indentedText, jsonText } from './json-text';
import { addText, beginText, finishText } from './text-builder';

export function b_json_marshal(value: u32): u32 {
  return jsonText(value);
}

/** Options: `prefix` and `indent` of lines, and `pretty`, which they imply. */
export function b_json_marshal_with_options(value: u32, options: u32): u32 {
  if (kindOf(options) != Kind.Object) return failed(Failure.Type);
  sorted(options);
  let indent = asciiString('\t');
  let prefix = asciiString('');
  let implied = false;
  let pretty: u32 = 0;
  for (let i: u32 = 0; i < lengthOf(options); i++) {
    const key = keyAt(options, i);
    const option = valueAt(options, i);
    const kind = kindOf(option);
    if (equal(key, asciiString('pretty'))) {
      if (kind != Kind.True && kind != Kind.False) return failed(Failure.Type);
      pretty = option;
      continue;
    }
    if (kind != Kind.String) return failed(Failure.Type);
    if (equal(key, asciiString('prefix'))) prefix = option;
    else if (equal(key, asciiString('indent'))) indent = option;
    else return failed(Failure.Type);
    implied = true;
  }
  if (pretty == 0 ? !implied : pretty != TRUE) return jsonText(value);
  const text = indentedText(value, prefix, indent);
  // Go's MarshalIndent leaves the first line without its prefix.
  beginText(lengthOf(prefix) + lengthOf(text));
  addText(prefix);
  addText(text);
  return finishText();
}

/** The last of equal keys wins; half of a surrogate pair is U+FFFD. */
export function b_json_unmarshal(text: u32): u32 {
  if (kindOf(text) != Kind.String) return failed(Failure.Type);
  const value = parse(text);
  return value == 0 ? failed() : value;
}

export function b_json_is_valid(text: u32): u32 {
  if (kindOf(text) != Kind.String) return boolean(false);
  const point = mark();
  const valid = parse(text) != 0;
  release(point);
  return boolean(valid);
}

function parse(text: u32): u32 {
  const value = parseLenient(textOf(text), lengthOf(text), VALUE_DEPTH_MAX);
  if (value != 0 || jsonError() != INPUT_LONE_SURROGATE) return value;
  const whole = withoutHalves(text);
  return parseLenient(textOf(whole), lengthOf(whole), VALUE_DEPTH_MAX);
}

/** A copy of JSON text with every escaped half of a surrogate pair replaced by that of U+FFFD, which is as long. */
function withoutHalves(text: u32): u32 {
  const copy = stringOf(textOf(text), lengthOf(text));
  const end = textOf(copy) + lengthOf(copy);
  for (let p = textOf(copy); p + 5 < end; p++) {
    if (load<u8>(p) != 0x5c) continue;
    const unit = unitAt(p, end);
    if (unit == 0xd8 && unitAt(p + 6, end) == 0xdc) p += 11;
    else if (unit != 0) {
      // "fffd" in the order of its bytes.
      store<u32>(p, 0x64666666, 2);
      p += 5;
    } else p += 1;
  }
  return copy;
}

/** For an escape of a surrogate 0xd8 when it is the first half of a pair or 0xdc when the second; otherwise 0. */
function unitAt(p: u32, end: u32): u32 {
  if (p + 5 >= end || load<u16>(p) != 0x755c || (load<u8>(p, 2) | 0x20) != 0x64) return 0;
  const digit = <u32>load<u8>(p, 3) | 0x20;
  if (digit == 0x38 || digit == 0x39 || digit == 0x61 || digit == 0x62) return 0xd8;
  return digit >= 0x63 && digit <= 0x66 ? 0xdc : 0;
}
