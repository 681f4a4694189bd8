// OPA's own built-ins (Go) for tests of ours; call only where `needs('go')`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMade, makeOnce, toolFolder } from '../../runtime/testing/tool-cache.ts';
import { fromMarked, toMarked } from './marked-testing.ts';

const sources = fileURLToPath(new URL('../rego', import.meta.url));
const buildPatienceMs = 300_000;
const outputBytesMax = 256 * 1024 * 1024;

/** A call of a built-in: OPA's name and the operands. */
export type Call = readonly [name: string, ...operands: unknown[]];

function program(): string {
  const hash = createHash('sha256');
  for (const file of ['builtin/main.go', 'go.sum']) hash.update(readFileSync(join(sources, file)));
  const folder = toolFolder('opa-builtin', hash.digest('hex'));
  if (!isMade(folder)) {
    makeOnce(folder, buildPatienceMs, () => {
      execFileSync('go', ['build', '-mod=readonly', '-o', join(folder, 'builtin'), './builtin'], {
        cwd: sources,
      });
    });
  }
  return join(folder, 'builtin');
}

function run(calls: readonly Call[]): string {
  return execFileSync(program(), {
    input: toMarked(calls),
    cwd: tmpdir(),
    encoding: 'utf8',
    maxBuffer: outputBytesMax,
  });
}

/** What OPA answers to each call; undefined where the built-in fails. */
export function opaBuiltins(calls: readonly Call[]): unknown[] {
  return (fromMarked(run(calls)) as (unknown[] | null)[]).map((result) => result?.[0]);
}

/** The same of built-ins that give numbers: their text as OPA writes it. */
export function opaNumbers(calls: readonly Call[]): (string | undefined)[] {
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  return (JSON.parse(run(calls), keep) as (string[] | null)[]).map((result) => result?.[0]);
}
