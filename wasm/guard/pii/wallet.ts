// Addresses of Bitcoin (base58check, bech32, bech32m) and Ethereum.

import { bech32Step, bech32Value } from '../../common/bech32';
import { sha256Begin, sha256End, sha256Update } from '../../common/sha256';
import { propose } from './candidate';
import { BITCOIN_ADDRESS, ETHEREUM_ADDRESS } from './kinds';
import { ALNUM, at, count, HEX, is, LOWER, run, UPPER } from './text';

const CHECKED: u32 = 980;
const SHAPED: u32 = 900;
/** What two rounds of SHA-256 cost, in bytes looked at. */
const HASH_STEPS: u32 = 1000;

const decoded: u32 = <u32>memory.data(32);
const hash: u32 = <u32>memory.data(32);

/** The value of a base58 digit, 58 for none. */
function base58(byte: u32): u32 {
  if (byte >= 0x31 && byte <= 0x39) return byte - 0x31;
  if (byte >= 0x41 && byte <= 0x5a && byte != 0x49 && byte != 0x4f) {
    return byte - 0x41 + 9 - (byte > 0x49 ? 1 : 0) - (byte > 0x4f ? 1 : 0);
  }
  if (byte >= 0x61 && byte <= 0x7a && byte != 0x6c) return byte - 0x61 + 33 - (byte > 0x6c ? 1 : 0);
  return 58;
}

/** Proposes the address of 25 bytes (version, hash, checksum) that is the whole word at `p`, which begins with 1 or 3. */
export function base58At(p: u32): void {
  const stop = run(p, ALNUM, 36);
  if (stop < p + 26 || stop > p + 35) return;
  let cases: u32 = 0;
  memory.fill(decoded, 0, 25);
  for (let q = p; q < stop; q++) {
    let carry = base58(at(q));
    if (carry == 58) return;
    cases |= is(q, UPPER) ? 1 : is(q, LOWER) ? 2 : 0;
    for (let i: u32 = 25; i > 0; i--) {
      carry += 58 * <u32>load<u8>(decoded + i - 1);
      store<u8>(decoded + i - 1, <u8>carry);
      carry >>= 8;
    }
    if (carry != 0) return;
  }
  count((stop - p) * 25);
  const version: u32 = load<u8>(decoded);
  if (cases != 3 || (version != 0 && version != 5)) return;
  count(HASH_STEPS);
  sha256Begin();
  sha256Update(decoded, 21);
  sha256End(hash);
  sha256Begin();
  sha256Update(hash, 32);
  sha256End(hash);
  if (load<u32>(hash) == load<u32>(decoded, 21)) propose(BITCOIN_ADDRESS, p, stop, CHECKED);
}

/** Proposes the address `bc1…` whose `1` is at `p`, in small letters (BIP 173, BIP 350). */
export function bech32At(p: u32): void {
  const stop = run(p + 1, ALNUM, 60);
  const length = stop - p - 1;
  if (at(p - 2) != 0x62 || at(p - 1) != 0x63 || length < 39 || length > 59) return;
  // The prefix: the high bits of `bc`, 0, the low bits.
  let check = bech32Step(bech32Step(bech32Step(bech32Step(bech32Step(1, 3), 3), 0), 2), 3);
  count(length * 16);
  for (let q = p + 1; q < stop; q++) {
    const value = bech32Value(at(q));
    if (value == 32) return;
    check = bech32Step(check, value);
  }
  if (check != 1 && check != 0x2bc830a3) return;
  propose(BITCOIN_ADDRESS, p - 2, stop, CHECKED);
}

/** Proposes the address of 40 hexadecimal digits after the `0x` at `p`. */
export function ethereumAt(p: u32): void {
  if ((at(p + 1) | 0x20) != 0x78) return;
  const stop = run(p + 2, HEX, 41);
  if (stop != p + 42 || is(stop, ALNUM)) return;
  // 0x000…0 and the like are constants.
  let others: u32 = 0;
  for (let q = p + 3; q < stop; q++) if (at(q) != at(q - 1)) others++;
  if (others > 8) propose(ETHEREUM_ADDRESS, p, stop, SHAPED);
}
