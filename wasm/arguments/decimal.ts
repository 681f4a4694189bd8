// Exact divisibility of decimals, on their digits: 0.3 is a multiple of 0.1 although their doubles are not.

let mantissa: u64 = 0;
let exponent: i32 = 0;

/** Reads canonical number text (RFC 8785: at most 17 digits); the sign does not matter here. */
function read(text: u32, length: u32): void {
  mantissa = 0;
  exponent = 0;
  let fraction = false;
  let at = text;
  const end = text + length;
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte == 0x2d) continue;
    if (byte == 0x65) break;
    if (byte == 0x2e) {
      fraction = true;
      continue;
    }
    mantissa = mantissa * 10 + (byte - 0x30);
    if (fraction) exponent--;
  }
  if (at < end) exponent += readExponent(at + 1, end);
  while (mantissa != 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    exponent++;
  }
}

function readExponent(start: u32, end: u32): i32 {
  let value: i32 = 0;
  for (let at = start; at < end; at++) {
    const byte = <i32>load<u8>(at);
    if (byte >= 0x30) value = value * 10 + (byte - 0x30);
  }
  return load<u8>(start) == 0x2d ? -value : value;
}

/** More than any mantissa; ten times as much still fits 64 bits. */
const MANTISSA_LIMIT: u64 = 1_000_000_000_000_000_000;

/** Whether the number in the first text is a whole multiple of the one in the second, which is above 0. */
export function isMultiple(text: u32, length: u32, stepText: u32, stepLength: u32): bool {
  read(stepText, stepLength);
  let divisor = mantissa;
  const divisorExponent = exponent;
  read(text, length);
  if (mantissa == 0) return true;
  let shift = exponent - divisorExponent;
  for (; shift < 0; shift++) {
    // A divisor beyond every mantissa divides none.
    divisor *= 10;
    if (divisor > MANTISSA_LIMIT) return false;
  }
  let rest = mantissa % divisor;
  for (; shift > 0 && rest != 0; shift--) rest = (rest * 10) % divisor;
  return rest == 0;
}
