// Bundles what runs in browsers: the decider for any page, and the playground with its worker.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const shims = join(root, 'runtime', 'browser', 'node');

/** What of Node there is in a browser, as files of runtime/browser/node. */
const there: Record<string, string> = {
  'node:buffer': 'buffer.ts',
  'node:crypto': 'crypto.ts',
  'node:fs': 'fs.ts',
  'node:fs/promises': 'fs.ts',
  'node:path': 'path.ts',
  'node:timers/promises': 'timers.ts',
  'node:url': 'url.ts',
  'node:util': 'util.ts',
};

/** Everything else of Node, and what makes the guard's tables, fails where it is called. */
const node: Plugin = {
  name: 'node',
  setup(made) {
    made.onResolve({ filter: /^node:|\/guard\/compiler\// }, ({ path }) => ({
      path,
      namespace: 'node',
    }));
    made.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => {
      const shim = there[path];
      return {
        resolveDir: shims,
        contents: `
          const missing = new Proxy({}, { get: (_, name) => function () {
            throw new Error('there is no ' + String(name) + ' of ${path} in a browser');
          } });
          module.exports = Object.create(missing);
          ${shim === undefined ? '' : `Object.assign(module.exports, require('./${shim}'));`}`,
      };
    });
  },
};

/** What is bundled: the file that it begins with, and where the script goes. */
const scripts: { entry: string; to: string; name?: string }[] = [
  {
    entry: 'runtime/browser/index.ts',
    to: 'runtime/browser/build/decider.js',
    name: 'platformDecider',
  },
  {
    entry: 'services/console/playground/page/main.ts',
    to: 'services/console/playground/build/page.js',
  },
  {
    entry: 'services/console/playground/worker/main.ts',
    to: 'services/console/playground/build/worker.js',
  },
];

for (const { entry, to, name } of scripts) {
  const target = join(root, to);
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: name,
    platform: 'browser',
    target: 'es2024',
    charset: 'utf8',
    legalComments: 'none',
    // Modules are found by the names of their files, wherever they come from.
    define: { 'import.meta.url': '"file:///"' },
    inject: [join(shims, 'globals.ts')],
    plugins: [node],
    logLevel: 'warning',
  });
  const partial = join(dirname(target), `.${basename(target)}.${process.pid}`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(partial, outputFiles[0]!.contents);
  renameSync(partial, target);
  console.log(`${to}: ${outputFiles[0]!.contents.length} bytes`);
}
