// Trains the guard's linear models and writes wasm/guard/models/*.bin: `npm run train:guard [injection|toxicity]`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Normaliser } from '../../wasm/guard/normalise/testing.ts';
import { type Corpus, corpusOf, ownInjection, ownToxicity } from './corpus.ts';
import { Features } from './features.ts';
import { fit } from './fit.ts';
import { encodeModel } from './model-file.ts';
import { injectionSets } from './sets-injection.ts';
import { toxicitySets } from './sets-toxicity.ts';

const folder = fileURLToPath(new URL('../../wasm/guard/models/', import.meta.url));
const SEED = 7;
/** The log-odds of a score of 700, the threshold of Toxicity. */
const TOXICITY_TARGET = Math.log(0.7 / 0.3);

/** A text has many sentences, and rude words are not abuse: fewer may be wrong. */
const TOXICITY_MOST = 0.001;
const INJECTION_MOST = 0.01;

const models: Record<string, { corpus(): Corpus; target: number; most: number }> = {
  injection: {
    corpus: () => corpusOf(injectionSets, ownInjection(SEED)),
    target: 0,
    most: INJECTION_MOST,
  },
  toxicity: {
    corpus: () => corpusOf(toxicitySets, ownToxicity(SEED)),
    target: TOXICITY_TARGET,
    most: TOXICITY_MOST,
  },
};

async function main(names: string[]): Promise<void> {
  const [normaliser, features] = [await Normaliser.create(), await Features.create()];
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const model = models[name];
    if (model === undefined) throw new Error(`there is no model ${name}`);
    const corpus = model.corpus();
    for (const { name: set, texts, near } of corpus.counts) {
      console.log(`${texts} texts, ${near} left out as held out: ${set}`);
    }
    const rounded = fit(corpus, normaliser, features, model);
    writeFileSync(`${folder}${name}.bin`, encodeModel(rounded));
    console.log(`wasm/guard/models/${name}.bin: bias ${rounded.bias.toFixed(3)}`);
  }
}

const named = process.argv.slice(2);
await main(named.length > 0 ? named : Object.keys(models));
