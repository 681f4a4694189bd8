// Marks an agent's process for good: the kernel hands the mark to every descendant, and takes it off none.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PR_SET_SECCOMP = 22; // prctl(2)
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2; // seccomp(2)
const SECCOMP_RET_ALLOW = 0x7fff0000;
const BPF_RET_K = 0x06;

/**
 * Marks the calling thread, and with it the program that it executes and all that it ever starts:
 * no_new_privs, and one seccomp filter that allows everything and is there to be counted. Neither
 * can be undone (prctl(2), seccomp(2)). Returns false when the kernel refuses.
 */
export function markThisThread(): boolean {
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
  const prctl = koffi
    .load(null)
    .func('int prctl(int option, unsigned long a, void *b, unsigned long c, unsigned long d)');
  const instruction = Buffer.alloc(8); // struct sock_filter
  instruction.writeUInt16LE(BPF_RET_K, 0);
  instruction.writeUInt32LE(SECCOMP_RET_ALLOW, 4);
  const program = Buffer.alloc(16); // struct sock_fprog: a count, and after padding an address
  program.writeUInt16LE(1, 0);
  program.writeBigUInt64LE(BigInt(koffi.address(instruction)), 8);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, null, 0, 0) !== 0) return false;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) === 0;
}

/**
 * True when a process carries a mark that this one does not. Where this process itself runs with
 * no_new_privs, as in some containers, the filters are counted. A process that is gone is marked:
 * nothing is known of it.
 */
export function isMarked(pid: number): boolean {
  const [theirs, ours] = [readMarks(pid), readMarks(process.pid)];
  if (theirs === undefined || ours === undefined) return true;
  return theirs.filters > ours.filters || (theirs.noNewPrivileges && !ours.noNewPrivileges);
}

function readMarks(pid: number): { noNewPrivileges: boolean; filters: number } | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  return {
    noNewPrivileges: /^NoNewPrivs:\t1$/m.test(status),
    // Counted since Linux 5.9; before, no_new_privs has to do.
    filters: Number(/^Seccomp_filters:\t(\d+)$/m.exec(status)?.[1] ?? 0),
  };
}
