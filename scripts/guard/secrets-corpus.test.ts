// The short form of the evaluation of Secrets: the corpus repeats itself, and the scanner meets its floors on it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../runtime/modules/guard.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { falseExamples, trueExamples } from './secrets-corpus/corpus.ts';
import { readFormats } from './secrets-corpus/formats.ts';
import { evaluateSecrets } from './secrets-eval.ts';

test('the same seed gives the same corpus, another one another', () => {
  assert.equal(trueExamples(1, 3), trueExamples(1, 3));
  assert.not.equal(trueExamples(1, 3), trueExamples(1, 4));
  assert.equal(falseExamples(100, 3), falseExamples(100, 3));
});

test('there are as many examples as asked for, each where it says', () => {
  const formats = readFormats();
  assert.ok(new Set(formats.map(({ kind }) => kind)).size >= 200);
  const examples = trueExamples(2, 5);
  assert.is(examples.length, 2 * formats.length);
  for (const { text, start, end } of examples) {
    const utf8 = Buffer.from(text);
    assert.ok(start! >= 0 && end! > start! && end! <= utf8.length);
  }
  assert.ok(falseExamples(2000, 5).length >= 2000);
});

test('the guard finds what another hand made, and little else', () => {
  const result = evaluateSecrets(Guard.create(moduleBytes('guard')), 2, 400);
  assert.ok(result.recall >= 0.9, `recall ${result.recall}`);
  assert.ok(result.covered >= 0.95, `covered ${result.covered}`);
  assert.ok(result.precision >= 0.95, `precision ${result.precision}`);
});

test.run();
