// Set-up of a checkout: locked dependencies, Wasm modules, policy bundle, browser scripts; plain JavaScript for Node 20.
// Each step is skipped when the digest of what it reads is the one of the last run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lockedNode } from '../cli/bin/locked-node.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Digest over the names and bytes of files and of folders' files with one of the given endings. */
function digestOf(paths, endings) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === 'build' || entry.name === 'node_modules') continue;
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(child);
      else if (endings.some((ending) => child.endsWith(ending))) add(child);
    }
  };
  const add = (path) => {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  };
  for (const path of paths) endings.length === 0 || path.includes('.') ? add(path) : visit(path);
  return hash.digest('hex');
}

/** Runs `work` unless its outputs are there and `stamp` holds the digest; a failed step leaves no stamp. */
function step(title, stamp, outputs, digest, work) {
  const path = join(root, stamp);
  const isThere = [path, ...outputs.map((output) => join(root, output))].every(existsSync);
  if (isThere && readFileSync(path, 'utf8') === digest) return;
  const started = Date.now();
  process.stderr.write(`${title} …\n`);
  work();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, digest);
  process.stderr.write(`${title}: done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
}

function run(command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.error === undefined && result.status === 0) return;
  const why = result.error ? result.error.message : `exit code ${result.status}`;
  console.error(`\nset-up failed: ${command} ${args.join(' ')}: ${why}`);
  if (command === 'npm') console.error('Is the npm registry reachable, and this folder writable?');
  process.exit(70);
}

/** Brings the checkout to where every command runs; does nothing when it is there already. */
export function setup() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    console.error(`Node 20 or newer is needed to begin; this is ${process.version}.`);
    process.exit(69);
  }
  const packages = ['package.json', 'package-lock.json', '.npmrc'];
  const dependencies = digestOf(packages, []);
  step('Installing locked dependencies', 'node_modules/.setup', [], dependencies, () =>
    run('npm', ['ci', '--ignore-scripts', '--loglevel=error']),
  );
  const node = lockedNode();
  const names = ['record', 'scope', 'arguments', 'guard', 'filter'];
  const builtModules = [...names, 'tokens-cl100k', 'tokens-o200k'].map(
    (name) => `wasm/build/${name}.wasm`,
  );
  const modules = digestOf(
    [
      ...['wasm', 'asconfig.json', 'runtime/metering', 'scripts/build-wasm.ts'],
      ...['merge.ts', 'catch.ts', 'sections.ts'].map((name) => `runtime/bundle/${name}`),
    ],
    ['.ts', '.json', '.wat', '.yaml', '.bin'],
  );
  step('Building the Wasm modules', 'wasm/build/.setup', builtModules, modules + dependencies, () =>
    run(node, ['scripts/build-wasm.ts']),
  );
  const policies = digestOf(
    ['policies', 'runtime/bundle', 'wasm/rego/compiler.wasm.sha256', 'scripts/build-policies.ts'],
    ['.rego', '.json', '.sha256', '.ts'],
  );
  step(
    'Compiling the policies',
    'policies/build/.setup',
    ['policies/build/bundle/policy.wasm'],
    policies + modules,
    () => run(node, ['scripts/build-policies.ts']),
  );
  const browser = digestOf(
    ['runtime', 'services/console', 'scripts/build-browser.ts'],
    ['.ts', '.js', '.json'],
  );
  step(
    'Bundling what runs in browsers',
    'runtime/browser/build/.setup',
    [
      'runtime/browser/build/decider.js',
      'services/console/playground/build/page.js',
      'services/console/playground/build/worker.js',
    ],
    browser + dependencies,
    () => run(node, ['scripts/build-browser.ts']),
  );
  return node;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) setup();
