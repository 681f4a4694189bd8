// Unicode's general categories and scripts as sets of code points, for `\p{...}` and for names in templates.

import { RANGE_BYTES } from './program';
import { addRange, rangesTop } from './tree';
import { CATEGORIES, CATEGORY_MASKS, CATEGORY_NAMES, SCRIPT_NAMES, SCRIPTS } from './unicode-data';

/** Longest name that is looked up, in bytes. */
const NAME_BYTES_MAX: u32 = 64;
const NAME: usize = memory.data(64);

let at: usize = 0;

function readNumber(): u32 {
  let value: u32 = 0;
  let shift: u32 = 0;
  while (true) {
    const byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
    shift += 7;
  }
}

/** Adds, in order, the runs of a table whose set is a bit of `mask`, or is `set` when the mask is 0. */
function addTable(table: usize, mask: u32, set: u32): void {
  at = table;
  let start: u32 = 0;
  while (start <= 0x10ffff) {
    const end = start + readNumber();
    const member = <u32>load<u8>(at++);
    if (mask == 0 ? member == set : ((mask >> member) & 1) != 0) {
      const last = rangesTop() - RANGE_BYTES;
      // Touching runs of one set never come one after the other, those of a union do.
      if (joinable && load<u32>(last, 4) + 1 == start) store<u32>(last, end - 1, 4);
      else addRange(start, end - 1);
      joinable = true;
    }
    start = end;
  }
}

let joinable: bool = false;

/** Whether a code point is a letter or a decimal digit (Go's unicode.IsLetter and IsDigit). */
export function isLetterOrDigit(codePoint: u32): bool {
  if (codePoint < 0x80) {
    const lower = codePoint | 0x20;
    return (codePoint >= 0x30 && codePoint <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
  }
  const mask = maskOf('L') | maskOf('Nd');
  at = CATEGORIES;
  let start: u32 = 0;
  while (true) {
    start += readNumber();
    const category = <u32>load<u8>(at++);
    if (codePoint < start) return ((mask >> category) & 1) != 0;
  }
}

function maskOf(name: string): u32 {
  for (let i: u32 = 0; i < <u32>name.length; i++) store<u8>(NAME + i, name.charCodeAt(i));
  return load<u32>(CATEGORY_MASKS + (indexOf(CATEGORY_NAMES, name.length) << 2));
}

/** The number of the name of `length` bytes at NAME in a list with a comma behind each, or -1. */
function indexOf(names: string, length: u32): i32 {
  const count = <u32>names.length;
  let index: i32 = 0;
  let start: u32 = 0;
  for (let end: u32 = 0; end < count; end++) {
    if (names.charCodeAt(end) != 0x2c) continue;
    if (end - start == length) {
      let same: u32 = 0;
      while (same < length && <u32>names.charCodeAt(start + same) == load<u8>(NAME + same)) same++;
      if (same == length) return index;
    }
    start = end + 1;
    index++;
  }
  return -1;
}

/** Writes a name to NAME as regexp/syntax compares it: one capital first, without _, - and blanks. */
function canonicalName(name: usize, length: u32): u32 {
  let written: u32 = 0;
  let first = true;
  for (let index: u32 = 0; index < length && written < NAME_BYTES_MAX; index++) {
    let byte = <u32>load<u8>(name + index);
    if (byte == 0x5f || byte == 0x2d || byte == 0x20) continue;
    if (first && byte >= 0x61 && byte <= 0x7a) byte -= 0x20;
    else if (!first && byte >= 0x41 && byte <= 0x5a) byte += 0x20;
    first = false;
    store<u8>(NAME + written, byte);
    written++;
  }
  return written;
}

/** Whether Go folds the set that `addProperty` added last: it has no folds of the cased letters. */
export let propertyFolds: bool = true;

/**
 * Adds the code points of the category or the script with this name (UTF-8), sorted and joined; false
 * when there is none. Exact to the names that Go takes, which are none of two words for scripts.
 */
export function addProperty(name: usize, length: u32): bool {
  const letters = canonicalName(name, length);
  joinable = false;
  propertyFolds = true;
  const category = indexOf(CATEGORY_NAMES, letters);
  if (category >= 0) {
    const mask = load<u32>(CATEGORY_MASKS + (category << 2));
    propertyFolds = mask != maskOf('Lc');
    addTable(CATEGORIES, mask, 0);
    return true;
  }
  const script = indexOf(SCRIPT_NAMES, letters);
  if (script >= 0) {
    addTable(SCRIPTS, 0, script + 1);
    return true;
  }
  if (indexOf('Ascii,', letters) < 0) return false;
  addRange(0, 0x7f);
  return true;
}
