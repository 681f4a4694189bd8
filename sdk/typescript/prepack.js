// Makes dist/: the SDK and what it imports as JavaScript with types, and the Wasm modules with their digests.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const built = join(folder, '..', '..', 'wasm', 'build');
const packed = join(folder, 'dist', 'wasm', 'build');
const modules = ['guard', 'scope', 'arguments', 'tokens-cl100k', 'tokens-o200k'];

rmSync(join(folder, 'dist'), { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.pack.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

mkdirSync(packed, { recursive: true });
const digests = {};
for (const name of modules) {
  const bytes = readFileSync(join(built, `${name}.wasm`));
  digests[name] = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  writeFileSync(join(packed, `${name}.wasm`), bytes);
}
// What models cost, where llm/prices.ts looks for it.
copyFileSync(join(folder, '..', 'prices.json'), join(folder, 'dist', 'sdk', 'prices.json'));
writeFileSync(join(packed, 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`);
