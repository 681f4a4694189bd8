// Reads the weights of the linear models that scripts/guard/train.ts wrote.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function build(name: string): Uint8Array | undefined {
  const file = fileURLToPath(new URL(`../models/${name}.bin`, import.meta.url));
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** The section INJECTION_MODEL; undefined before a model is trained. */
export function buildInjectionModel(): Uint8Array | undefined {
  return build('injection');
}

/** The section TOXICITY_MODEL; undefined before a model is trained. */
export function buildToxicityModel(): Uint8Array | undefined {
  return build('toxicity');
}

/** The section WORD_VECTORS; undefined before scripts/guard/train-words.ts has run. */
export function buildWordVectors(): Uint8Array | undefined {
  return build('words');
}
