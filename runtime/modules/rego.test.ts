import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../bundle/compile.ts';
import { POLICIES } from '../bundle/testing.ts';
import type { BundleError } from '../errors.ts';
import { needs } from '../testing/needs.ts';
import { Authorization } from './authorization.ts';
import { RegoCompiler, type RegoFile } from './rego.ts';

const compiler = await RegoCompiler.load();
const own = await readPolicies(POLICIES);
const one = (content: string): RegoFile[] => [{ path: 'a.rego', content }];
const check = (content: string) =>
  compiler.check({ files: one(content), capabilities: own.capabilities, schemas: own.schemas });

test("the platform's policies pass their tests and cover every line", () => {
  const answer = compiler.test(own);
  assert.equal(answer.errors, []);
  assert.equal(
    answer.tests.filter((outcome) => !outcome.pass),
    [],
  );
  assert.is(answer.coverage.percent, 100, JSON.stringify(answer.coverage.files));
});

test('every rule has a title, and one that answers says its controls in METADATA as in its answer', () => {
  const sources = own.files.filter((file) => !file.path.endsWith('_test.rego'));
  const { rules } = compiler.check({ ...own, files: sources });
  const answering = rules.filter(({ path }) => /\.(grants|reasons)$/.test(path));
  assert.ok(answering.length > 20);
  for (const rule of rules) assert.ok(rule.title, `${rule.file}:${rule.row} has no title`);
  for (const { path, file, row, custom } of answering) {
    const controls = (custom?.controls ?? []) as string[];
    assert.ok(controls.length > 0, `${path} in ${file}:${row} names no control`);
    const { content } = sources.find((source) => source.path === file)!;
    const body = content.split('\n').slice(row).join('\n').split('\n# METADATA')[0]!;
    const code = body.replaceAll(/^#.*$/gm, '');
    // What others contribute brings its own controls.
    if (code.includes('answer.contributed')) continue;
    for (const control of controls) assert.ok(code.includes(`"${control}"`), `${file}:${row}`);
  }
});

test('an error has its file, line, column, source and hint', () => {
  const [error] = check('package p\n\nx := y if {\n\ttrue\n}\n').errors;
  assert.is(error?.file, 'a.rego');
  assert.is(error?.row, 3);
  assert.is(error?.source, 'x := y if {');
  assert.is(error?.code, 'rego_unsafe_var_error');
  assert.ok(error?.hint);
});

test('a built-in whose answer comes from outside is refused with what to use', () => {
  for (const call of [
    'http.send({})',
    'net.lookup_ip_addr("a.example")',
    'opa.runtime()',
    'rand.intn("a", 3)',
    'time.now_ns()',
    'uuid.rfc4122("a")',
  ]) {
    const [error] = check(`package p\n\nx := ${call}\n`).errors;
    assert.is(error?.code, 'builtin_not_portable', call);
    assert.ok(error?.hint, call);
  }
});

test('strict: an unused variable and a member that the schema lacks are errors', () => {
  assert.is(check('package p\n\nx if {\n\ty := 1\n}\n').ok, false);
  const typo =
    '# METADATA\n# schemas:\n#   - input: schema.tool\npackage p\n\nx := input.identiy\n';
  assert.match(check(typo).errors[0]?.message ?? '', /undefined ref: input\.identiy/);
});

test('the errors of all files come at once', () => {
  const files = ['a', 'b'].map((name) => ({ path: `${name}.rego`, content: 'package p\nx :=\n' }));
  const places = compiler.check({ ...own, files }).errors.map((error) => error.file);
  assert.equal([...new Set(places)], ['a.rego', 'b.rego']);
});

test('a failing test says which expression was not true', () => {
  const files = one('package p\n\ntest_x if {\n\tprint("here")\n\t1 == 2\n}\n');
  const [outcome] = compiler.test({ ...own, files }).tests;
  assert.is(outcome?.pass, false);
  assert.match(outcome?.output ?? '', /here/);
});

test("an operator's file outside its package, and a `deny` that is no set, are refused", () => {
  const codes = (content: string) =>
    compiler
      .check({ ...own, files: [...own.files, { path: 'op.rego', content, operator: true }] })
      .errors.map((error) => error.code);
  assert.equal(codes('package platform.tool\n\ngranted := true\n'), ['operator_package_required']);
  assert.equal(codes('package platform.tool.operator\n\ndeny := true\n'), [
    'operator_contribution_invalid',
  ]);
  assert.equal(
    codes('package platform.tool.operator\n\ndeny contains 1 if input.action == "x"\n'),
    [],
  );
});

test('an entrypoint without a rule is not built', () => {
  assert.throws(
    () => compiler.build({ ...own, entrypoints: ['platform/tool/missing'] }),
    (error: BundleError) => error.code === 'policy_invalid',
  );
});

test('no built-in that may be used comes from the host, and building is reproducible', () => {
  const first = compiler.build(own);
  assert.equal(compiler.build(own).wasm, first.wasm);
  Authorization.create({ wasm: first.wasm, data: Buffer.from('{}') });
});

test('what rules can read is found through every rule they reach', () => {
  const files = one(`package p
out := a
a := 1 if b
else := 2 if input.x["y/z"].w
b if f(input.q)
f(v) if { some k; v[k] == input.list[k] }
unreached := input.secret
`);
  const { reads } = compiler.build({ ...own, files, entrypoints: ['p/out'], roots: ['p'] });
  assert.equal(reads['p/out'], ['/list', '/q', '/x/y~1z/w']);
  const whole = one('package p\nout := x if { x := [v | some v in input] }\n');
  const all = compiler.build({ ...own, files: whole, entrypoints: ['p/out'], roots: ['p'] });
  assert.equal(all.reads['p/out'], ['']);
});

test('a rule that holds a token to its dates reads the time of the input', () => {
  const files = one('package p\nout := io.jwt.decode_verify(input.token, {"secret": "s"})[0]\n');
  const { reads } = compiler.build({ ...own, files, entrypoints: ['p/out'], roots: ['p'] });
  assert.equal(reads['p/out'], ['/context/time', '/token']);
});

test('formatting is what OPA formats', () => {
  const answer = compiler.format(one('package p\nx:=1\n'));
  assert.equal(answer.files, one('package p\n\nx := 1\n'));
});

test('the syntax tree has places, texts, annotations and comments, and keeps custom metadata', () => {
  const { modules, errors } = compiler.parse({
    files: [
      {
        path: 'a.rego',
        content: `# a comment: ö
package p

# METADATA
# title: T
# custom:
#   location: {row: 1, col: 1, text: "eA=="}
x := y if {
\ty := input["ö"]
\tnot y == 1
}
`,
      },
      { path: 'b.rego', content: 'package p\nx :=\n' },
    ],
  });
  assert.ok(errors.length > 0 && errors.every(({ file }) => file === 'b.rego'));
  const { rules, comments } = modules['a.rego']!;
  assert.is(comments![0]!.text, ' a comment: ö');
  assert.is(comments![0]!.location.row, 1);
  const [rule] = rules!;
  assert.is(rule!.annotations![0]!.title, 'T');
  assert.equal(rule!.annotations![0]!.custom, { location: { row: 1, col: 1, text: 'eA==' } });
  assert.equal(
    rule!.body.map(({ location, negated }) => [location!.row, location!.text, negated ?? false]),
    [
      [9, 'y := input["ö"]', false],
      [10, 'not y == 1', true],
    ],
  );
  assert.equal(Object.keys(modules), ['a.rego']);
});

test('a trial says which variants the tests notice, and which are no policy', () => {
  const files = [
    { path: 'a.rego', content: 'package p\n\nbig if input.n > 10\n' },
    {
      path: 'a_test.rego',
      content: 'package p_test\n\ntest_big if data.p.big with input.n as 12\n',
    },
  ];
  const variant = (body: string) => ({ path: 'a.rego', content: `package p\n\n${body}\n` });
  const variants = ['big if input.n > 11', 'big if input.n < 10', 'big if x > 10'].map(variant);
  const { outcomes } = compiler.trial({ ...own, files, variants });
  assert.equal(outcomes[0], { killed: false });
  assert.equal(outcomes[1], { killed: true, by: 'data.p_test.test_big' });
  assert.is(outcomes[2]!.killed, false);
  assert.match(outcomes[2]!.error!, /var x is unsafe/);
  const absent = compiler.trial({ ...own, files, variants: [{ path: 'b.rego', content: '' }] });
  assert.match(absent.outcomes[0]!.error!, /no such file/);
});

test('variants are not tried while a test fails without them', () => {
  const files = one('package p\n\ntest_x if 1 == 2\n');
  const answer = compiler.trial({ ...own, files, variants: files });
  assert.is(answer.errors[0]!.code, 'tests_fail');
  assert.equal(answer.outcomes, []);
});

test('a variant whose tests do not end counts as noticed', () => {
  const files = [
    { path: 'a.rego', content: 'package p\n\nxs := [1]\n' },
    {
      path: 'a_test.rego',
      content: `package p_test

test_x if {
\tmany := [1 | some a in data.p.xs; some b in data.p.xs; some c in data.p.xs; some d in data.p.xs]
\tcount(many) > 0
}
`,
    },
  ];
  const content = `package p\n\nxs := [${Array.from({ length: 60 }, (_, i) => i)}]\n`;
  const { outcomes } = compiler.trial({ ...own, files, variants: [{ path: 'a.rego', content }] });
  assert.is(outcomes[0]!.killed, true);
  assert.ok(outcomes[0]!.error);
});

if (needs('go')) {
  test('the committed compiler is what its source builds to', () => {
    const folder = fileURLToPath(new URL('../../wasm/rego/', import.meta.url));
    const built = execFileSync('sh', [`${folder}build.sh`, '--digest'])
      .toString()
      .trim();
    assert.is(built, readFileSync(`${folder}compiler.wasm.sha256`, 'utf8').trim());
    assert.is(compiler.digest, `sha256:${built}`);
  });
}

test.run();
