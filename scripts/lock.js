// Tidies package-lock.json after an install: no download addresses, and no optional packages of other
// systems that the registry does not serve, which would make `npm ci` refuse the lock file.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));

/** True when a package of that name is locked where `from` would find it. */
function isLocked(from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (candidate in lock.packages) return true;
    if (folder === '') return false;
  }
}

for (const [place, entry] of Object.entries(lock.packages)) {
  if (entry.resolved?.startsWith('http')) delete entry.resolved;
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (!isLocked(place, name)) delete entry.optionalDependencies[name];
  }
  if (Object.keys(entry.optionalDependencies ?? { keep: '' }).length === 0) {
    delete entry.optionalDependencies;
  }
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
