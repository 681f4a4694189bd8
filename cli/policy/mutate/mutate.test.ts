// Mutants of a small policy, what is left alone, and which ones its tests notice.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../../runtime/bundle/compile.ts';
import { POLICIES } from '../../../runtime/bundle/testing.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { groupOf } from './groups.ts';
import { mutantsOf } from './mutants.ts';
import { runMutants } from './run.ts';
import { SourceText } from './text.ts';

const platform = await readPolicies(POLICIES);
const compiler = await RegoCompiler.load();

const POLICY = `package platform.small

default allow := false

# METADATA
# title: Granted
# custom:
#   controls: ["A"]
grants contains {"code": "é", "message": "yes", "controls": ["A", "B"]} if input.n <= 3

reasons contains {"code": "late", "message": "no", "controls": ["C"]} if {
	input.n > 2
	not input.forced
}

level := "low" if {
	input.n < 2
} else := "high"

name := $"level {level}"
`;

function mutations(content: string): string[] {
  const { modules } = compiler.parse({ files: [{ path: 'p.rego', content }] });
  return mutantsOf('p.rego', content, modules['p.rego']!).map(({ mutation }) => mutation);
}

test('every kind of change is made, at the right place', () => {
  const { modules } = compiler.parse({ files: [{ path: 'p.rego', content: POLICY }] });
  const mutants = mutantsOf('p.rego', POLICY, modules['p.rego']!);
  const made = mutants.map(({ row, mutation }) => `${row} ${mutation}`);
  for (const expected of [
    '3 false became true',
    '3 no default of allow',
    '9 "é" became "é_"',
    '9 dropped the member "B"',
    '9 dropped the member "code": "é"',
    '9 <= became <',
    '9 <= became >',
    '9 3 became 4',
    '9 dropped the condition input.n <= 3',
    '9 negated input.n <= 3',
    '9 grants became reasons',
    '9 the rule grants never holds',
    '13 took the not away: not input.forced',
    '13 dropped the condition not input.forced',
    '16 two results of level changed places',
    '16 the rule level never holds',
    '20 the template\'s text $"level { got longer',
  ]) {
    assert.ok(made.includes(expected), `${expected} is not among\n${made.join('\n')}`);
  }
  assert.not.ok(made.some((each) => each.includes('yes') || each.includes('message')));
  assert.not.ok(made.some((each) => each.startsWith('7 ') || each.startsWith('8 ')));
  for (const { row, source, content } of mutants) {
    assert.is(source, POLICY.split('\n')[row - 1]);
    assert.is.not(content, POLICY);
  }
  assert.is(new Set(mutants.map(({ content }) => content)).size, mutants.length);
});

test('the mutants of a policy with other texts and layout are the same in number', () => {
  const count = mutations(POLICY).length;
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.nat(3), (text, lines) => {
      const written = JSON.stringify(text).replaceAll('\u007f', '');
      const changed = POLICY.replace('"é"', () => written).replaceAll(
        '\n\n',
        `\n\n${'\n'.repeat(lines)}`,
      );
      assert.is(mutations(changed).length, count, changed);
    }),
    { numRuns: 25 },
  );
});

test('edits change what they name and nothing else', () => {
  const text = new SourceText('a\n💥b c\n');
  const span = text.span({ file: 'x', row: 2, col: 3, text: ' c' });
  assert.equal(span, { start: 5, end: 7 });
  assert.is(
    text.apply([
      { ...span!, text: 'd' },
      { start: 0, end: 1, text: '' },
    ]),
    '\n💥bd\n',
  );
  assert.is(text.span({ file: 'x', row: 2, col: 1, text: 'zz' }), undefined);
  assert.is(text.span({ file: 'x', row: 9, col: 1, text: 'a' }), undefined);
});

const TESTS = `package platform.small_test

import data.platform.small

test_late if {
	small.reasons == {{"code": "late", "message": "no", "controls": ["C"]}} with input as {"n": 3}
	small.reasons == set() with input as {"n": 2}
	small.reasons == set() with input as {"n": 3, "forced": true}
}

test_level if {
	small.level == "low" with input as {"n": 1}
	small.level == "high" with input as {"n": 2}
}
`;

const small = {
  ...platform,
  files: [
    ...platform.files,
    { path: 'small/small.rego', content: POLICY },
    { path: 'small/small_test.rego', content: TESTS },
  ],
};

test('mutants that a test notices die, the others are listed with their places', async () => {
  const group = groupOf(small, 'small');
  assert.equal(
    group.sources.files.map(({ path }) => path),
    ['small/small.rego', 'small/small_test.rego'],
  );
  let last = [0, 0];
  const report = await runMutants([group], (done, all) => {
    last = [done, all];
  });
  assert.is(last[0], last[1]);
  assert.is(report.mutants, report.killed + report.survivors.length);
  const rows = new Set(report.survivors.map(({ row }) => row));
  assert.equal([...rows], [3, 9, 20], 'what no test looks at, and nothing else');
  assert.equal(Object.keys(report.survivors[0]!), ['file', 'row', 'source', 'mutation']);
});

test('tests that fail as they are are an error, not a score', async () => {
  const group = groupOf(small, 'small');
  const files = group.sources.files.map((file) => ({
    ...file,
    content: file.content.replace('"n": 1}', '"n": 9}'),
  }));
  const broken = { ...group, sources: { ...group.sources, files } };
  let message = '';
  await runMutants([broken], () => {}).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /must pass/);
});

test('a group holds what its folder uses, without the tests of that', () => {
  const { sources } = groupOf(platform, 'mesh');
  const paths = sources.files.map(({ path }) => path);
  assert.ok(paths.includes('answer/answer.rego') && paths.includes('mesh/mesh_test.rego'));
  assert.not.ok(paths.some((path) => path.startsWith('answer/') && path.endsWith('_test.rego')));
  assert.not.ok(paths.some((path) => path.startsWith('secret/')));
  assert.equal(Object.keys(sources.schemas ?? {}), ['mesh']);
});

test.run();
