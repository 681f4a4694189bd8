// What a finding must fulfil beyond its pattern, such as a checksum; names.ts numbers the checks.

import { isBasicLogin, isMacaroon, isWebToken } from './base64';
import { isBech32 } from './bech32';
import { endsInBase36Crc, endsInBase62Crc, endsInHexCrc } from './crc32';
import { DIGIT, hasKeyBody, isMixedCase, kindsWithin, LOWER, UPPER } from './letters';
import { isAssignedSecret, isUrlPassword } from './stand-ins';

/** Whether the finding of the pointers `[start, end)` passes the check of this number. */
export function checkHolds(check: u32, start: usize, end: usize): bool {
  switch (check) {
    case 1:
      return isAssignedSecret(start, end);
    case 2:
      return isBasicLogin(start, end);
    case 3:
      return isBech32(start, end);
    case 4:
      return endsInBase62Crc(start, end);
    case 5:
      return endsInBase36Crc(start, end);
    case 6:
      return endsInHexCrc(start, end);
    case 7:
      return isWebToken(start, end);
    case 8: {
      const kinds = kindsWithin(start, end);
      return (kinds & DIGIT) != 0 && (kinds & (UPPER | LOWER)) != 0;
    }
    case 9:
      return isMixedCase(start, end);
    case 10:
      return hasKeyBody(start, end);
    case 11:
      return isMacaroon(start, end);
    case 12:
      return isUrlPassword(start, end);
    default:
      return check == 0;
  }
}
