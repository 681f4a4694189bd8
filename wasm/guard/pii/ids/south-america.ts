// Numbers of Brazil (CPF, CNPJ), Argentina (CUIT) and Chile (RUT).

import { offer } from '../candidate';
import { eleven, isRepeated, weigh } from '../checks';
import { between, isBrazilian, isCompact, isShaped, length, shape, stop } from '../form';
import { AR_CUIT, BR_CNPJ, BR_CPF, CL_RUT } from '../kinds';
import { digit, HYPHEN, PERIOD, SPACE, value } from '../numbers';
import { ALNUM, at, DIGIT, is } from '../text';
import { letter } from './letters';

function isCpf(): bool {
  if (isRepeated(11)) return false;
  return eleven(weigh(0, ':98765432')) == digit(9) && eleven(weigh(0, ';:98765432')) == digit(10);
}

function isCnpj(): bool {
  if (isRepeated(14) || value(0, 6) + value(6, 12) == 0) return false;
  return (
    eleven(weigh(0, '543298765432')) == digit(12) && eleven(weigh(0, '6543298765432')) == digit(13)
  );
}

function isCuit(): bool {
  const type = value(0, 2);
  const isPerson = type == 20 || type == 23 || type == 24 || type == 27;
  const isCompany =
    type == 30 || type == 33 || type == 34 || type == 50 || type == 51 || type == 55;
  if (!isPerson && !isCompany) return false;
  const rest = 11 - (weigh(0, '5432765432') % 11);
  return (rest == 11 ? 0 : rest == 10 ? 9 : rest) == digit(10);
}

/** Proposes what the digits of the form can be here; `number` is how many groups they have. */
export function southAmericanAt(p: u32, number: u32): void {
  if (length == 11) {
    const isWritten = isBrazilian(0x03030302, number) || isShaped(0x0902, HYPHEN);
    if ((isCompact() || isWritten) && isCpf()) offer(BR_CPF, p, stop, isWritten ? 950 : 500, 970);
    const isGrouped = isShaped(0x020801, HYPHEN | SPACE);
    if ((isCompact() || isGrouped) && isCuit()) offer(AR_CUIT, p, stop, isGrouped ? 880 : 400, 950);
  } else if (length == 14) {
    const isWritten = isBrazilian(0x0203030402, number);
    if ((isCompact() || isWritten) && isCnpj()) offer(BR_CNPJ, p, stop, isWritten ? 950 : 600, 970);
  }
}

/** The check character of the form's digits in a RUT: weights 2 to 7 from the right, modulus 11, 10 is K. */
function rutCharacter(): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < length; i++) sum += digit(length - 1 - i) * (2 + (i % 6));
  const rest = (11 - (sum % 11)) % 11;
  return rest == 10 ? 0x4b : rest + 0x30;
}

/** Proposes the RUT whose seven or eight digits the form has, before a hyphen and its check character. */
export function rutAt(p: u32): void {
  const isDotted = (shape == 0x010303 || shape == 0x020303) && between == PERIOD;
  if (length < 7 || length > 8 || (!isCompact() && !isDotted) || at(stop) != 0x2d) return;
  if (is(stop + 2, ALNUM) || (at(stop + 2) == 0x2d && is(stop + 3, DIGIT))) return;
  if (letter(stop + 1) == rutCharacter()) offer(CL_RUT, p, stop + 2, isDotted ? 900 : 500, 950);
}
