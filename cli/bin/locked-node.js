// Finds the Node binary that the lock file pins; plain JavaScript, because an older Node runs it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const platformName = process.platform === 'win32' ? 'win' : process.platform;

/**
 * Path of the pinned Node 24, or of the running Node when that is 24 or newer.
 * Exits with what to do when there is neither.
 */
export function lockedNode() {
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(
      folder,
      'node_modules',
      `node-${platformName}-${process.arch}`,
      'bin',
      binary,
    );
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) break;
  }
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  console.error(
    `Node 24 is needed and no pinned binary for ${process.platform} ${process.arch} is installed.\n` +
      'Run "npm run setup" in the checkout, or install Node 24 or newer.',
  );
  process.exit(69);
}
