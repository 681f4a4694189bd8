// International bank account numbers (the PII scanner): country, its length, and the check digits (ISO 13616, ISO 7064).

import { propose } from './candidate';
import { IBAN } from './kinds';
import { separatorAt } from './numbers';
import { ALNUM, at, count, DIGIT, is, LETTER } from './text';

// One literal, because joining literals would allocate: five characters an entry, the last a separator.
const LENGTHS = `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27
DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28
IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22
MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24
SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`;
const IBAN_MAX: u32 = 34;
const CERTAIN: u32 = 1000;
const characters: u32 = <u32>memory.data(34);

function country(first: u32, second: u32): u32 {
  return (first << 8) | second;
}

/** Length of a country's IBAN by the SWIFT registry; 0 when the country has none. `code` is two capitals. */
function lengthFor(code: u32): u32 {
  const entry = <u32>changetype<usize>(LENGTHS);
  for (let i: u32 = 0; i < (<u32>LENGTHS.length) << 1; i += 10) {
    if (country(load<u16>(entry + i), load<u16>(entry + i, 2)) != code) continue;
    return (<u32>load<u16>(entry + i, 4) - 48) * 10 + <u32>load<u16>(entry + i, 6) - 48;
  }
  return 0;
}

/** The value of an IBAN character, 0 to 35 (A is 10). */
function valueOf(byte: u32): u32 {
  return byte <= 0x39 ? byte - 0x30 : byte - 0x41 + 10;
}

/** Whether the `length` collected characters have the remainder 1 modulo 97, country and check moved last. */
function checks(length: u32): bool {
  let remainder: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const value = valueOf(load<u8>(characters + ((i + 4) % length)));
    remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97;
  }
  return remainder == 1;
}

/** Proposes the IBAN that begins at `p`, compact or in groups of four. */
export function ibanAt(p: u32): void {
  if (!is(p, LETTER) || !is(p + 1, LETTER) || !is(p + 2, DIGIT) || !is(p + 3, DIGIT)) return;
  const length = lengthFor(country(at(p) & 0xdf, at(p + 1) & 0xdf));
  if (length == 0) return;
  let q = p;
  let have: u32 = 0;
  count(IBAN_MAX);
  while (have < length) {
    if (!is(q, ALNUM)) {
      const gap = separatorAt(q);
      if (gap == 0 || have % 4 != 0 || !is(q + gap, ALNUM)) return;
      q += gap;
    }
    const byte = at(q++);
    store<u8>(characters + have++, <u8>(byte > 0x5a ? byte & 0xdf : byte));
  }
  const check = valueOf(load<u8>(characters + 2)) * 10 + valueOf(load<u8>(characters + 3));
  if (is(q, ALNUM) || check < 2 || check > 98 || !checks(length)) return;
  propose(IBAN, p, q, CERTAIN);
}
