// Credentials that look right and that nobody issued, put together when a test runs.
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A token in GitHub's format, with the right checksum; `seed` makes different ones. */
export function sampleGithubToken(seed = 1): string {
  let random = '';
  for (let i = 0, state = seed >>> 0; i < 30; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    random += DIGITS[state >>> 26] ?? 'k';
  }
  let checksum = '';
  for (let rest = crc32(random); checksum.length < 6; rest = Math.floor(rest / 62)) {
    checksum = DIGITS[rest % 62]! + checksum;
  }
  return ['gh', 'p_', random, checksum].join('');
}
