// The same contract on the real native server: Node 20, hyper-express and a re-upload of its library.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { test } from 'uvu';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { needs } from '../../../runtime/testing/needs.ts';

const root = resolve(import.meta.dirname, '../../..');
// The library's binaries for newer Nodes need a newer glibc than many test machines have.
const manifest = {
  private: true,
  dependencies: {
    'hyper-express': '6.18.0',
    'uWebSockets.js': 'npm:uwebsockets@3.0.6',
    uvu: '0.5.6',
  },
  overrides: { 'uWebSockets.js': '$uWebSockets.js' },
};

test('hyper-express passes the HTTP contract', () => {
  if (!needs('hyper-express')) return;
  const folder = join(homedir(), '.cache/platform-test/hyper-express-6.18.0-uwebsockets-3.0.6');
  install(folder);
  compile(folder);
  const start = join(folder, 'run.mjs');
  writeFileSync(
    start,
    `import { readFileSync } from 'node:fs';
     import { httpContract } from './services/common/http/contract.js';
     import { Record } from './runtime/modules/record.js';
     httpContract('hyper-express', Record.create(readFileSync('./record.wasm')));`,
  );
  writeFileSync(join(folder, 'record.wasm'), moduleBytes('record'));
  execFileSync(node20(), [start], { cwd: folder, stdio: 'inherit', timeout: 120_000 });
});

function install(folder: string): void {
  if (existsSync(join(folder, 'node_modules/uvu'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'ignore',
  });
}

/** Node 20 does not run TypeScript: the shared sources are stripped of their types into the folder. */
function compile(folder: string): void {
  const sources = [
    ...['runtime', 'runtime/metering', 'runtime/modules'],
    ...['services/common', 'services/common/http'],
  ];
  for (const source of sources) {
    for (const name of readdirSync(join(root, source))) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const from = join(root, source, name);
      const to = join(folder, relative(root, from)).replace(/\.ts$/, '.js');
      const { outputText } = ts.transpileModule(readFileSync(from, 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
          verbatimModuleSyntax: true,
        },
      });
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, outputText);
    }
  }
  for (const part of ['runtime', 'services']) {
    writeFileSync(join(folder, part, 'package.json'), '{"type":"module"}');
  }
}

/** The Node that started npm, which is not the one in node_modules. */
function node20(): string {
  const paths = (process.env.PATH ?? '').split(':').map((path) => join(path, 'node'));
  const found = paths.find((path) => {
    if (path.includes('node_modules') || !existsSync(path)) return false;
    return execFileSync(path, ['--version']).toString().startsWith('v20.');
  });
  if (found === undefined) throw new Error('Node 20 is not on the path');
  return found;
}

test.run();
