// `npm test`: runs every *.test.ts in a process of its own and ends with "N passed, N failed, N skipped".
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const fileTimeoutMs = 20 * 60_000;
// What runtime/testing/needs.ts prints, once for each need of a file that this machine lacks.
const skippedMark = 'skipped: ';

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || ['node_modules', 'build', 'dist'].includes(entry.name)) {
      return [];
    }
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith('.test.ts') ? [relative(root, path)] : [];
  });
}

function count(output, label) {
  const matches = [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)\\s*$`, 'gm'))];
  return matches.length === 0 ? undefined : Number(matches.at(-1)[1]);
}

/** Runs one file; one that ends without a summary counts as a failure, unless all it says is what it lacks. */
function runFile(node, file) {
  return new Promise((resolve) => {
    const started = Date.now();
    let output = '';
    const child = spawn(node, [file], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => {
      output += `\nstopped: over ${fileTimeoutMs / 1000} s\n`;
      child.kill('SIGKILL');
    }, fileTimeoutMs);
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: uvu colours its summary.
      const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
      const total = count(plain, 'Total');
      const passed = count(plain, 'Passed') ?? 0;
      const notes = plain.split('\n').filter((line) => line.startsWith(skippedMark));
      const saysOnlyThat = notes.length > 0 && notes.join('\n') === plain.trim();
      let failed = saysOnlyThat ? 0 : 1;
      if (total !== undefined) failed = total - passed;
      if (code !== 0 && failed <= 0) failed = 1;
      const seconds = (Date.now() - started) / 1000;
      failed = Math.max(failed, 0);
      const skipped = new Set(notes).size;
      resolve({ file, passed, failed, skipped, notes, seconds, plain });
    });
  });
}

const node = setup();
const filters = process.argv.slice(2);
const files = testFiles(root)
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort();
const results = [];
const queue = [...files];
const workers = Array.from(
  { length: Math.max(2, Math.min(4, availableParallelism())) },
  async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(node, file);
      results.push(result);
      const verdict = result.failed > 0 ? 'FAIL' : 'ok';
      console.log(
        `${verdict.padEnd(4)} ${file}  ${result.passed} passed  ${result.seconds.toFixed(1)} s`,
      );
      for (const note of result.notes) console.log(`     ${note}`);
      if (result.failed > 0) console.log(result.plain.replace(/^/gm, '     | '));
    }
  },
);
await Promise.all(workers);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
const bad = results.filter((result) => result.failed > 0);
if (bad.length > 0) console.log(`\nfailed: ${bad.map((result) => result.file).join(', ')}`);
if (results.length === 0) console.log(`no test file matches ${filters.join(' ')}`);
const reasons = [...new Set(results.flatMap((result) => result.notes))].sort();
if (reasons.length > 0) {
  console.log(`skipped: ${reasons.map((note) => note.slice(skippedMark.length)).join('; ')}`);
}
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
process.exit(bad.length > 0 || results.length === 0 ? 1 : 0);
