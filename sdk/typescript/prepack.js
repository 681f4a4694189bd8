// Makes dist/: the SDK and what it imports as JavaScript with types, and the Wasm modules with their digests.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
const built = join(folder, '..', '..', 'wasm', 'build');
const errors = join(folder, '..', '..', 'runtime', 'errors.ts');
const packed = join(folder, 'dist', 'wasm', 'build');
const modules = ['record', 'guard', 'scope', 'arguments', 'tokens-cl100k', 'tokens-o200k'];

rmSync(join(folder, 'dist'), { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.pack.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

// Verifying bundles takes two libraries, which are packed with it: the SDK has no dependencies.
const together = await build({
  entryPoints: [join(folder, 'decisions.ts')],
  outfile: join(folder, 'dist', 'sdk', 'typescript', 'decisions.js'),
  ...{ allowOverwrite: true, bundle: true, format: 'esm', platform: 'node', target: 'node22' },
  // CommonJS libraries ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  plugins: [
    {
      name: 'one class of errors for all entries',
      setup({ onResolve }) {
        onResolve({ filter: /errors\.ts$/ }, ({ path, resolveDir }) =>
          join(resolveDir, path) === errors
            ? { path: '../../runtime/errors.js', external: true }
            : undefined,
        );
      },
    },
  ],
});
if (together.errors.length > 0) process.exit(1);

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
