// What a person is shown of a finding: the fixed beginning of its format and stars, never the value.
import type { ScannerName } from '../modules/guard.ts';

/** As many for every value: their number would say how long it is. */
const STARS = '*'.repeat(8);
const PREFIX_MAX = 4;

/**
 * Beginnings that every value of a format has, so that showing one shows nothing of the value; the longest that
 * fits comes first among those with a common beginning.
 */
const FIXED: readonly string[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'gith', 'glpa', 'gldt', 'glrt', 'glft', 'glpt'],
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AIza', 'ya29', 'GOCS', 'sk-a', 'sk-p', 'sk-s', 'sk_l'],
  ...['sk_t', 'rk_l', 'rk_t', 'whse', 'xoxb', 'xoxp', 'xoxa', 'xoxs', 'xoxr', 'xoxe', 'xapp'],
  ...['npm_', 'pypi', 'dop_', 'doo_', 'dor_', 'dapi', 'dckr', 'shpa', 'shpc', 'shpp', 'shps'],
  ...['hvs.', 'hvb.', 'hvr.', 'ATAT', 'lin_', 'figd', 'pul-', 'sntr', 'AGE-', 'EAAC', 'NRAK'],
  ...['----', 'SG.', 'hf_', 'eyJ', 'sk-'],
];

/** Stars behind the format's fixed beginning of at most four characters, where it has one. */
export function maskedPreview(scanner: ScannerName, value: string): string {
  if (scanner !== 'Secrets') return STARS;
  const prefix = FIXED.find((fixed) => value.startsWith(fixed)) ?? '';
  return prefix.slice(0, PREFIX_MAX) + STARS;
}
