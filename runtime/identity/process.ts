// Reads what the kernel knows of a process: its parent, start time, role variable and command line.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { IdentityError } from '../errors.ts';
import { isPidDescriptorAlive, type Peer } from './peer.ts';

/** A process named so that a later process with the same pid is not mistaken for it. */
export interface ProcessName {
  pid: number;
  /** Clock ticks since boot (proc(5), field 22 of /proc/<pid>/stat), as decimal text. */
  startTime: string;
}

export interface ProcessFacts extends ProcessName {
  parentPid: number;
}

const environmentBytesMax = 4 * 1024 * 1024;
const commandLineBytesMax = 16 * 1024;
const ticksPerSecond = 100; // USER_HZ, fixed at 100 in the kernel's user-space interface

/** The facts of a process, or undefined when there is none with this pid or only its zombie. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const found = readStat(pid);
  return found === undefined || found.state === 'Z' || found.state === 'X'
    ? undefined
    : found.facts;
}

/**
 * The facts of a process, also when its first thread has ended: the kernel then calls it a zombie,
 * while its other threads may run on and start processes.
 */
export function readProcessOrZombie(pid: number): ProcessFacts | undefined {
  return readStat(pid)?.facts;
}

function readStat(pid: number): { state: string; facts: ProcessFacts } | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name in field 2 may hold spaces and brackets; only the last bracket ends it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid, startTime] = [fields[0], fields[1], fields[19]];
  if (state === undefined || parentPid === undefined || startTime === undefined) return undefined;
  return { state, facts: { pid, parentPid: Number(parentPid), startTime } };
}

/** The facts of a process. Throws `process_gone` when there is none. */
export function requireProcess(pid: number): ProcessFacts {
  const facts = readProcess(pid);
  if (facts === undefined) throw processGone(pid);
  return facts;
}

/**
 * True while the peer of a connection is the process that `name` was read from: its pid has not
 * been given to another process since it connected.
 */
export function isSameProcess(peer: Peer, name: ProcessName): boolean {
  if (readProcess(peer.pid)?.startTime !== name.startTime) return false;
  if (peer.pidDescriptor !== undefined) return isPidDescriptorAlive(peer.pidDescriptor, peer.pid);
  // Without a pidfd: whoever connected was running by then, so a later start is another process.
  return startedAt(name) <= peer.acceptedAt;
}

/**
 * The values of one variable in the environment that the process was started with, in order; a
 * process may have been given the same name twice. Empty when unset or unreadable.
 */
export function environmentValues(pid: number, variable: string): string[] {
  const environment = readBounded(`/proc/${pid}/environ`, environmentBytesMax);
  const prefix = `${variable}=`;
  return environment
    .split('\0')
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => entry.slice(prefix.length));
}

/** The command line of a process, its arguments joined by one space, cut at 16 KiB. */
export function commandLineOf(pid: number): string {
  return readBounded(`/proc/${pid}/cmdline`, commandLineBytesMax).split('\0').join(' ').trim();
}

export function processGone(pid: number): IdentityError {
  return new IdentityError('process_gone', `process ${pid} ended while it was being attested`);
}

let bootTime: number | undefined;

/** Wall time of a process's start, milliseconds since the epoch, a tick early rather than late. */
function startedAt(name: ProcessName): number {
  if (bootTime === undefined) {
    const line = readFileSync('/proc/stat', 'latin1')
      .split('\n')
      .find((entry) => entry.startsWith('btime '));
    bootTime = Number(line?.slice('btime '.length) ?? 0) * 1000;
  }
  return bootTime + (Number(name.startTime) * 1000) / ticksPerSecond;
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function readBounded(path: string, bytesMax: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    while (total < bytesMax) {
      const chunk = Buffer.alloc(Math.min(16 * 1024, bytesMax - total));
      const count = readSync(descriptor, chunk, 0, chunk.length, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      total += count;
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return ''; // the process ended between open and read; the caller checks that it still lives
  } finally {
    closeSync(descriptor);
  }
}
