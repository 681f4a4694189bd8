// Template strings `$"…"` and what print leaves of its arguments (OPA's v1/topdown/template_string.go, print.go).

import { Failure, failed, stop } from '../failure';
import { boolean, elementAt, Kind, keyAt, kindOf, lengthOf } from '../value';
import { addValue } from './quote';
import { addAscii, addText, beginText, finishText } from './text-builder';

/** Each part is a scalar, or the set of what an expression gave: one value, or none, which reads `<undefined>`. */
export function b_internal_template_string(parts: u32): u32 {
  if (kindOf(parts) != Kind.Array) return failed(Failure.Type);
  for (let i: u32 = 0; i < lengthOf(parts); i++) {
    const part = elementAt(parts, i);
    const kind = kindOf(part);
    if (kind == Kind.Array || kind == Kind.Object) return failed(Failure.Type);
    if (kind == Kind.Set && lengthOf(part) > 1) stop(Failure.Conflict);
  }
  beginText();
  for (let i: u32 = 0; i < lengthOf(parts); i++) {
    let part = elementAt(parts, i);
    if (kindOf(part) == Kind.Set) {
      if (lengthOf(part) == 0) {
        addAscii('<undefined>');
        continue;
      }
      part = keyAt(part, 0);
    }
    if (kindOf(part) == Kind.String) addText(part);
    else addValue(part);
  }
  return finishText();
}

/** Prints nothing: a decision has no output but its answer. */
export function b_internal_print(_values: u32): u32 {
  return boolean(true);
}

/** As `print`. */
export function b_trace(note: u32): u32 {
  return kindOf(note) == Kind.String ? boolean(true) : failed(Failure.Type);
}
