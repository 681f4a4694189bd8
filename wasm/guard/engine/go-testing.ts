// What Go's package regexp says of patterns, for tests of the engine; call only where `needs('go')`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce, toolFolder } from '../../../runtime/testing/tool-cache.ts';

const sources = fileURLToPath(new URL('oracle', import.meta.url));
const buildPatienceMs = 300_000;
const outputBytesMax = 256 * 1024 * 1024;

function program(): string {
  const hash = createHash('sha256').update(readFileSync(join(sources, 'main.go')));
  const folder = toolFolder('guard-oracle', hash.digest('hex'));
  makeOnce(folder, buildPatienceMs, () => {
    mkdirSync(folder);
    execFileSync('go', ['build', '-o', join(folder, 'oracle'), '.'], { cwd: sources });
  });
  return join(folder, 'oracle');
}

/** Offsets in bytes. */
export type Span = [start: number, end: number];

/** For each pattern and text what Go finds, without empty findings; null for a pattern that it refuses. */
export function goMatches(
  patterns: readonly string[],
  texts: readonly string[],
): (Span[][] | null)[] {
  const input = patterns.map((pattern) => JSON.stringify({ pattern, texts })).join('\n');
  const output = execFileSync(program(), { input, encoding: 'utf8', maxBuffer: outputBytesMax });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
