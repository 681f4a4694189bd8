// `node scripts/capabilities.ts`: writes policies/capabilities.json, the built-ins that policies may use; needs Go.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { argumentCounts, portableBuiltins } from '../test/conformance/portable.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'policies', 'capabilities.json');

interface Capabilities {
  builtins: { name: string; decl: { args?: unknown[] } }[];
  [member: string]: unknown;
}

const opa = execFileSync(
  'go',
  ['list', '-m', '-f', '{{.Dir}}', 'github.com/open-policy-agent/opa'],
  { cwd: join(root, 'wasm', 'rego') },
);
const all = read(join(opa.toString().trim(), 'capabilities.json'));
const current = read(target);
const engine = readFileSync(join(root, 'wasm', 'build', 'engine.wasm'));
const portable = portableBuiltins(argumentCounts(all.builtins), engine);
// OPA's own Wasm joins a set in another order, so `concat` takes lists alone.
const concat = current.builtins.filter(({ name }) => name === 'concat');
const builtins = all.builtins
  .filter(({ name }) => portable.includes(name))
  .map((builtin) => concat.find(({ name }) => name === builtin.name) ?? builtin);
writeFileSync(target, `${JSON.stringify({ ...current, builtins }, null, 2)}\n`);
execFileSync('biome', ['format', '--write', target], { cwd: root });
console.log(`${builtins.length} of ${all.builtins.length} built-ins`);

function read(path: string): Capabilities {
  return JSON.parse(readFileSync(path, 'utf8')) as Capabilities;
}
