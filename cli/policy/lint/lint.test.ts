// Each lint rule finds what it is for, leaves the rest alone, and its fix changes nothing else.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../../runtime/bundle/compile.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { RegoCompiler, type RegoFile } from '../../../runtime/modules/rego.ts';
import { fixed, lint } from './lint.ts';
import { RULES } from './rules.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const compiler = await RegoCompiler.load();
const capabilities = JSON.parse(await readFile(`${root}/policies/capabilities.json`, 'utf8'));

const lines = (...parts: string[]) => `${parts.join('\n')}\n`;

const head = lines(
  '# METADATA',
  '# title: Tried',
  '# custom:',
  '#   controls: ["NIST:AC-3"]',
  '# schemas:',
  '#   - input: schema.tried',
  'package platform.tried',
);

const suite = {
  path: 'tried_test.rego',
  content: lines('package platform.tried_test', 'import data.platform.tried', 'test_it if tried'),
};

const titled = (text: string) => lines('', '# METADATA', '# title: A rule', text);

function run(content: string, rules?: string[], more: RegoFile[] = [suite]) {
  const files = [{ path: 'tried.rego', content }, ...more];
  const sources = { files, capabilities, schemas: { tried: {} } };
  return lint(compiler, sources, (path) => !path.endsWith('_test.rego'), rules);
}

const found = (content: string, rules?: string[], more?: RegoFile[]) =>
  run(content, rules, more).findings.map(({ code, row }) => `${code}:${row}`);

/** A rule with a body, in a file that is otherwise clean. */
const body = (...conditions: string[]) =>
  head + titled(`tried if {\n\t${conditions.join('\n\t')}\n}`);

const bad: Record<string, string[]> = {
  scan: [
    body('some id, entry in data.agents', 'id == input.id', 'entry.tenant == "t"'),
    body('data.agents[id].tenant == "t"', 'id == input.id'),
    body('some id; data.operators[id].actions.view'),
    body('data.agents[_].tenant == input.tenant'),
    body('every entry in data.tools { entry.read }'),
    body('input.id in object.keys(data.agents)'),
    body('count([1 | some x in data.services; x.agents]) > 0'),
  ],
  subject: [
    head +
      titled('tried if input.id == "spiffe://td/agent/acme/bot/main"') +
      titled('other if input.id == "spiffe://td/agent/acme/clerk/main"'),
  ],
  'spiffe-prefix': [
    body('startswith(input.id, "spiffe://td/agent/acme")'),
    body('startswith(input.id, $"spiffe://td/agent/{input.tenant}")'),
    body('startswith(input.id, concat("", ["spiffe://", input.td, "/agent/", input.tenant]))'),
    body('startswith(input.id, concat("/", ["spiffe:", "", "td", "agent", input.tenant]))'),
    body('prefix := $"spiffe://td/agent/{input.tenant}"', 'startswith(input.id, prefix)'),
    body('trim_prefix(input.id, "spiffe://td/agent/acme") == "x"'),
  ],
  builtin: [body('rand.intn("a", 3) == 1'), body('http.send({}).status == 200')],
  'not-missing': [
    body('not input.n < 3'),
    body('not startswith(input.id, "x")'),
    body('not data.agents[input.id]'),
    body('not input.id in {"a"}'),
    body('not lower(input.id) == "a"'),
  ],
  unsorted: [
    body('[x | some x in {"b", "a"}][0] == "a"'),
    body('names := [x | some x in {y | some y in input.ys}]', 'names[0] == "a"'),
  ],
  leak: [
    head +
      titled('deny contains {"code": "tried", "message": $"not {input.arguments.to}"} if input.x'),
    head + titled('reasons contains {"code": "tried", "values": input.arguments} if input.x'),
  ],
  default: [head + titled('allow if input.x')],
  metadata: [
    lines(head, 'tried if input.x'),
    head.replace('# title: Tried\n', '') + titled('tried if input.x'),
    head.replace('# custom:\n#   controls: ["NIST:AC-3"]\n', '') + titled('tried if input.x'),
  ],
  controls: [
    head +
      titled(
        lines(
          '# custom:',
          '#   controls: ["NIST:AC-3", "SOC2:CC6.1"]',
          'deny contains {"code": "tried", "controls": ["NIST:AC-3"]} if input.x',
        ),
      ),
  ],
  test: [head + titled('deny contains {"code": "unheard_of"} if input.x')],
  ignore: [
    body('input.x # lint: ignore scan because nothing walks here'),
    body('input.x # lint: ignore nothing because it is new'),
    body('data.agents[_].x == input.x # lint: ignore scan'),
  ],
};

const good = [
  body('data.agents[input.id].tenant == "t"'),
  body('id := input.id', 'data.agents[id].tenant == "t"'),
  body('some id in {"a", "b"}', 'data.agents[id].tenant == "t"'),
  body('some name, given in data.agents[input.id].resources', 'given.read', 'name == input.name'),
  head + titled('tried if entry(input.id).tenant == "t"') + titled('entry(id) := data.agents[id]'),
  head + titled('tried if input.id == "spiffe://td/agent/acme/bot/main"'),
  body('startswith(input.id, "spiffe://td/agent/acme/")'),
  body('startswith(input.id, $"spiffe://td/agent/{input.tenant}/")'),
  body('startswith(input.id, concat("/", ["spiffe:", "", "td", "agent", input.tenant, ""]))'),
  body('startswith(input.name, "orders_")'),
  body('not input.x'),
  body('not input.x == 1'),
  head + titled('tried if not small') + titled('small if input.n < 3'),
  body('sort([x | some x in {"b", "a"}])[0] == "a"'),
  body('count([x | some x in {"b", "a"}]) == input.n'),
  head + titled('default allow := false') + titled('allow if input.x'),
  body('data.agents[_].x == input.x # lint: ignore scan because there are at most three agents'),
  body('# lint: ignore scan because there are at most three agents', 'data.agents[_].x == input.x'),
];

test('every rule finds what it is for', () => {
  for (const [rule, contents] of Object.entries(bad)) {
    for (const content of contents) {
      const codes = run(content).findings.map(({ code }) => code);
      assert.ok(codes.includes(rule), `${rule} not in ${codes.join(' ')} of\n${content}`);
    }
  }
  assert.equal(Object.keys(bad).sort(), RULES.map(({ id }) => id).sort());
});

test('what is right is left alone', () => {
  for (const content of good) assert.equal(found(content), [], content);
});

test('a finding says the place, the line and what to do', () => {
  const [finding] = run(body('not input.n < 3')).findings;
  assert.is(finding?.file, 'tried.rego');
  assert.is(finding?.row, 12);
  assert.is(finding?.source, '\tnot input.n < 3');
  assert.match(finding!.message, 'without input.n');
  assert.match(finding!.hint!, 'rule');
});

test('only the rules that were asked for run', () => {
  const content = body('not input.n < 3', 'data.agents[_].x == input.x');
  assert.equal(found(content, ['scan']), ['scan:13']);
  assert.equal(found(content, ['not-missing']), ['not-missing:12']);
});

test('a package without a test file is found once', () => {
  assert.equal(found(body('input.x'), ['test'], []), ['test:7']);
});

test('a file that does not parse gives the parser’s error', () => {
  assert.equal(
    run(`${head}tried if {`).findings.map(({ code }) => code),
    ['rego_parse_error'],
  );
});

/** Fixes until nothing changes, formatting as `--fix` does. */
function repaired(content: string): string {
  let text = content;
  for (let round = 0; round < 4; round++) {
    const files = [{ path: 'tried.rego', content: text }];
    const [next] = fixed(files, run(text).findings);
    if (next === undefined) return text;
    const formatted = compiler.format([next]);
    assert.ok(formatted.ok, `${next.content}\n${JSON.stringify(formatted.errors)}`);
    text = formatted.files[0]?.content ?? next.content;
  }
  return assert.unreachable(`the fixes of\n${content}\ndo not come to an end`) as never;
}

test('a fix removes its finding, is formatted, and compiles', () => {
  const fixable = RULES.filter(({ fixes }) => fixes !== undefined).map(({ id }) => id);
  for (const id of fixable) {
    const content = bad[id]![0]!;
    const text = repaired(content);
    assert.not.equal(text, content);
    assert.not(
      found(text).some((code) => code.startsWith(id)),
      text,
    );
    assert.is(repaired(text), text);
    const files = [{ path: 'tried.rego', content: text }];
    const answer = compiler.check({ files, capabilities, schemas: { tried: {} } });
    assert.ok(answer.ok, JSON.stringify(answer.errors));
    assert.equal(compiler.format(files).files, []);
  }
  assert.equal(fixable.sort(), ['controls', 'default', 'spiffe-prefix', 'unsorted']);
});

test('a fix changes what it says and nothing else', () => {
  const content =
    head +
    titled('allow if count(deny) == 0') +
    titled(
      lines(
        '# custom:',
        '#   controls: ["NIST:AC-3", "SOC2:CC6.1"]',
        'deny contains {"code": "tried", "controls": ["NIST:AC-3"]} if startswith(input.id, "spiffe://td/agent/acme")',
      ),
    ) +
    titled('first := [x | some x in {y | some y in input.ys}]');
  const text = repaired(content);
  const answers = (source: string, input: JsonValue): JsonObject => {
    const { result } = compiler.eval({
      ...{ files: [{ path: 'tried.rego', content: source }], capabilities, schemas: { tried: {} } },
      ...{ query: 'data.platform.tried', input },
    });
    const [value] = result as JsonValue[];
    return isJsonObject(value) ? value : {};
  };
  const id = fc.constantFrom(
    ...[
      'spiffe://td/agent/acme/bot/main',
      'spiffe://td/agent/acme/',
      'spiffe://td/agent/acmefoo/x/y',
    ],
    ...['spiffe://td/agent/acme', 'spiffe://td/agent/globex/bot/main', ''],
  );
  fc.assert(
    fc.property(id, fc.array(fc.constantFrom('b', 'a', 'c')), (spiffe, ys) => {
      const before = answers(content, { id: spiffe, ys });
      const after = answers(text, { id: spiffe, ys });
      // The one difference: acme without its boundary no longer covers acmefoo, nor acme alone.
      const lookalike =
        spiffe.startsWith('spiffe://td/agent/acme') &&
        !spiffe.startsWith('spiffe://td/agent/acme/');
      assert.is(
        (after.deny as JsonValue[]).length,
        lookalike ? 0 : (before.deny as JsonValue[]).length,
      );
      if (!lookalike) assert.is(after.allow, before.allow ?? false);
      assert.equal(after.first, before.first);
    }),
    { numRuns: 12 },
  );
});

test('our own policies and examples lint clean', async () => {
  const situations = await readdir(`${root}/examples/policies`, { withFileTypes: true });
  const folders = situations.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const together = [
    [`${root}/cli/policy/template`, ...folders.map((name) => `${root}/examples/policies/${name}`)],
    // Alone, as it is deployed: its package has no other file there.
    [`${root}/examples/quickstart/policies`],
  ];
  for (const operators of together) {
    const sources = await readPolicies([`${root}/policies`, ...operators]);
    const { findings, files } = lint(compiler, sources, () => true);
    assert.equal(
      findings.map(({ file, row, code }) => `${file}:${row} ${code}`),
      [],
    );
    assert.ok(files > 30);
  }
});

test('the documentation says of each rule what the rule says', async () => {
  const page = await readFile(`${root}/docs/policy-lint.md`, 'utf8');
  const sections = page.split('\n## ').slice(1);
  const rules = sections.filter((section) => section.startsWith('`'));
  assert.is(rules.length, RULES.length);
  for (const [index, { id, finds, why, instead, fixes }] of RULES.entries()) {
    const text = rules[index]!.replaceAll(/\s+/g, ' ');
    assert.ok(text.startsWith(`\`${id}\` `), id);
    for (const part of [`Finds ${finds}.`, `Why: ${why}.`, `Instead: ${instead}.`]) {
      assert.ok(text.includes(part), `${id}: ${part}`);
    }
    assert.is(text.includes('`--fix`'), fixes !== undefined, id);
    if (fixes !== undefined) assert.ok(text.includes(`\`--fix\` ${fixes}.`), id);
  }
});

test.run();
