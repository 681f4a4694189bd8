// Which tests are tried first: the many that cost little, which notice most mutants.
import type { RegoTest } from '../../../runtime/modules/rego.ts';

const SHARE = 0.3;

/**
 * A regular expression of the quickest tests that together take no more than a share of the time of
 * all; undefined when there is none, or when a test fails, which the run of all of them then tells.
 */
export function quickTests(tests: readonly RegoTest[]): string | undefined {
  if (tests.some(({ pass, skip }) => !pass && skip !== true)) return undefined;
  const all = tests.reduce((sum, { seconds }) => sum + seconds, 0);
  const quick: string[] = [];
  let time = 0;
  for (const { name, seconds } of tests.toSorted((a, b) => a.seconds - b.seconds)) {
    time += seconds;
    if (time > SHARE * all) break;
    quick.push(name);
  }
  return quick.length === 0 ? undefined : `\\.(${quick.join('|')})$`;
}
