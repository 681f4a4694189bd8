// Cuts the endings off words, lightly: what plurals, cases and verb forms of the European languages add.

/** The longest word that is told from others by all of its bytes. */
export const WORD_MAX: u32 = 48;
/** Where the word that is read stands, in lower case. */
export const word: usize = memory.data(64);

function at(index: u32): u32 {
  return load<u8>(word + index);
}

function ends(length: u32, ending: string): bool {
  const size = <u32>ending.length;
  if (length < size) return false;
  const source = changetype<usize>(ending);
  for (let i: u32 = 0; i < size; i++) {
    if (at(length - size + i) != <u32>load<u8>(source + (i << 1))) return false;
  }
  return true;
}

function isVowel(byte: u32): bool {
  return byte == 0x61 || byte == 0x65 || byte == 0x69 || byte == 0x6f;
}

function hasVowel(length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const byte = at(i);
    if (isVowel(byte) || byte == 0x75 || byte == 0x79) return true;
  }
  return false;
}

/** How many bytes of the word's `length` are its stem; may change its last byte. */
export function stem(length: u32): u32 {
  let isPlain = true;
  for (let i: u32 = 0; i < length; i++) {
    const byte = at(i);
    if (byte >= 0x80) return foreignStem(length);
    if (byte < 0x61) isPlain = false;
  }
  if (!isPlain || length < 4) return length;
  return ending(verb(plural(length)));
}

/** Without the last letter of four or five, the last two of more. */
function foreignStem(length: u32): u32 {
  let letters: u32 = 0;
  for (let i: u32 = 0; i < length; i++) if ((at(i) & 0xc0) != 0x80) letters++;
  let left = length;
  for (let drop: u32 = letters >= 6 ? 2 : letters >= 4 ? 1 : 0; drop > 0; drop--) {
    left--;
    while ((at(left) & 0xc0) == 0x80) left--;
  }
  return left;
}

function plural(length: u32): u32 {
  if (ends(length, 'ies') && length > 4) {
    store<u8>(word + length - 3, 0x79);
    return length - 2;
  }
  const isSibilant =
    ends(length, 'sses') ||
    ends(length, 'xes') ||
    ends(length, 'zes') ||
    ends(length, 'ches') ||
    ends(length, 'shes');
  if (isSibilant) return length - 2;
  const isSingular = ends(length, 'ss') || ends(length, 'us') || ends(length, 'is');
  return ends(length, 's') && !isSingular ? length - 1 : length;
}

function verb(length: u32): u32 {
  let left = length;
  if (ends(length, 'ing') && length >= 6 && hasVowel(length - 3)) left = length - 3;
  else if (ends(length, 'ed') && length >= 5 && hasVowel(length - 2)) left = length - 2;
  else if (ends(length, 'ly') && length >= 6) return length - 2;
  else return length;
  const last = at(left - 1);
  const isDoubled = left >= 4 && last == at(left - 2);
  return isDoubled && last != 0x6c && last != 0x73 && last != 0x7a ? left - 1 : left;
}

function ending(length: u32): u32 {
  let left = length;
  if (left >= 6 && (ends(left, 'er') || ends(left, 'or') || ends(left, 'en'))) left -= 2;
  return left >= 4 && isVowel(at(left - 1)) ? left - 1 : left;
}
