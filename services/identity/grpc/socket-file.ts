// The file of a Unix socket: whether it is still the same one, and whether somebody answers behind it.
import { statSync } from 'node:fs';
import { connect } from 'node:net';

/** The inode of a file, which a file in its place has not; undefined where there is none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Whether a living server accepts connections at the path. */
export function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
