// Where a platform on this machine keeps its state, and where in it its sockets are.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Absolute paths of everything that one platform writes. */
export interface StateFolder {
  root: string;
  keys: string;
  bundles: string;
  evidence: string;
  checkpoints: string;
  openings: string;
  database: string;
  /** Sockets: below the root, or in the system's temporary folder where paths would be too long. */
  run: string;
  controlSocket: string;
  lockFile: string;
}

// unix(7): a socket's path has at most 107 bytes; the longest name below `run` has 44.
const runBytesMax = 107 - 45;

/** The folder named by `--state`, else by PLATFORM_STATE, else `.platform-state` here. */
export function stateFolder(option: string | undefined): StateFolder {
  const root = resolve(option ?? process.env.PLATFORM_STATE ?? '.platform-state');
  const inside = join(root, 'run');
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const run =
    Buffer.byteLength(inside) <= runBytesMax ? inside : join(tmpdir(), `platform-${digest}`);
  return {
    root,
    keys: join(root, 'keys'),
    bundles: join(root, 'bundles'),
    evidence: join(root, 'evidence'),
    checkpoints: join(root, 'checkpoints'),
    openings: join(root, 'openings'),
    database: join(root, 'database'),
    run,
    controlSocket: join(run, 'control.sock'),
    lockFile: join(root, 'lock'),
  };
}
