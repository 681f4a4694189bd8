// Keeps an agent's orphans below its launcher, so that no process escapes its agent by losing its parent.
import { createRequire } from 'node:module';

const PR_SET_CHILD_SUBREAPER = 36; // prctl(2)

/**
 * Makes this process the new parent of every descendant whose own parent ends (prctl(2),
 * PR_SET_CHILD_SUBREAPER), in place of the machine's first process. Returns false when the kernel
 * refuses.
 */
export function becomeSubreaper(): boolean {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
  const prctl = koffi
    .load(null)
    .func(
      'int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)',
    );
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) === 0;
}
