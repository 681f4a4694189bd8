// The abstract evaluation against the compiled module: what it accepts, brute force never refutes.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { Authorization } from '../../../runtime/modules/authorization.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { type Claim, findGaps, keyOf } from './cover.ts';
import { programOf } from './program.ts';
import { fromJson, type Value } from './values.ts';

const data: JsonObject = {
  agents: {
    a: {
      tenant: 't',
      resources: { x: { actions: { read: true, write: true } }, y: { actions: {} } },
    },
    b: { tenant: 'u', resources: { y: { actions: { read: true } } }, frozen: true },
    'c/~d': { tenant: 't', resources: {}, list: ['x', 'z', 7] },
  },
  limits: { most: 3, names: ['a', 'b'] },
};

const ids: JsonValue[] = ['a', 'b', 'c/~d', 'e', '', null, 7];
const services: JsonValue[] = ['x', 'y', 'z', true];
const actions = ['read', 'write', 'drop'];
const absent = Symbol('absent');

/** Every input of a small universe; members are left out in each way too. */
const universe: JsonObject[] = [...ids, absent].flatMap((id) =>
  [...services, absent].flatMap((service) =>
    actions.flatMap((action) =>
      [{}, { n: 2, extra: ['x', 'a'] }, { n: 5, extra: { k: 'y' }, flag: false }].map((more) => {
        const input: JsonObject = { action, resource: {}, ...(more as JsonObject) };
        if (typeof id !== 'symbol') input.identity = { id };
        if (typeof service !== 'symbol') input.resource = { service };
        return input;
      }),
    ),
  ),
);

/** Conditions in every form that the interpreter follows, and some that it does not. */
const conditions = [
  'agent',
  'not agent',
  'agent.resources[input.resource.service]',
  'not agent.resources[input.resource.service]',
  'agent.resources[input.resource.service].actions[input.action]',
  'agent.resources[input.resource.service].actions[input.action] == true',
  'not agent.frozen',
  'agent.tenant == "t"',
  'agent.tenant != "t"',
  'not agent.tenant == "t"',
  'input.identity.id == "a"',
  'input.identity.id != "a"',
  'not input.identity.id == "b"',
  'input.identity.id in {"a", "e"}',
  'not input.identity.id in {"a", "e"}',
  'input.identity.id in data.limits.names',
  'input.action in {"read", "write"}',
  'input.n < data.limits.most',
  'not input.n < data.limits.most',
  'not input.flag',
  'input.flag == false',
  'count(scopes) > 0',
  'count(scopes) == 0',
  'count(other) == 0',
  'some s in scopes; s == input.resource.service',
  'some k, v in data.agents; k == input.identity.id; v.tenant == "u"',
  'some i; data.limits.names[i] == input.identity.id',
  'every e in input.extra { e != "q" }',
  'every s in scopes { s != "y" }',
  'some e in input.extra; e == input.identity.id',
  'x := input.resource.service; startswith(x, "x")',
  'not startswith(input.resource.service, "x")',
  'grade(input.action) == 1',
  'not grade(input.action) == 1',
  'grade(input.identity.id) > 0',
  'is_string(input.identity.id)',
  'not is_string(input.identity.id)',
  '{"id": input.identity.id} == {"id": "a"}',
  '[input.identity.id, y] = ["b", z]; z = y; y = input.resource.service',
  'object.get(agent, "frozen", false) == true',
  'object.get(data.agents, input.identity.id, {"tenant": "v"}).tenant != "t"',
  '"x" in {r | some r, _ in agent.resources}',
  'not "x" in {r | some r, _ in agent.resources}',
  'concat("", ["x", ""]) == input.resource.service',
  '$"{input.action}-{input.resource.service}" == "read-x"',
  'split("a/b", "/")[0] == input.identity.id',
  'count([s | some s in scopes]) >= 1',
  'agent == {"tenant": "t"} with data.agents as {"a": {"tenant": "t"}}',
  'switch == "on"',
  'not switch == "off"',
  'input.extra[_] == "x"',
  'data.agents[input.identity.id].list[_] == input.resource.service',
  'not agent.tenant == input.resource.service',
  'not data.agents[input.identity.id].frozen',
  'not {"a": input.resource.service} == {"a": "x"}',
  'not [input.identity.id] == ["a"]',
  'not grade(input.action) == input.n',
  'not grade(lower(input.action)) == 2',
  'not count(scopes) == 0',
  'not input.extra.k == "y"',
  'not agent.resources[input.resource.service].actions.read == true',
  'not [input.action, agent.tenant] in [["read", "t"]]',
  '[1, w] = [1, input.n]; w == 2',
  'input["identity"]["id"] == "a"',
  'w := input.identity; w.id == "b"',
  'w := input.resource; not w.service == "y"',
  'named["t"]',
  'named[input.resource.service]',
  'not named.u',
  'named == {"t": 1}',
  '{k: 1 | some k in scopes} == {"x": 1}',
  'max({n | some n in [1, input.n]}) == 5',
  'some i, s in ["x", "y"]; i == 1; s == input.resource.service',
  'all_of.deep.t',
  'scopes & {"x", "z"} == {"x"}',
  'scopes - {"z"} == set()',
  'upper(input.action) == "READ"',
  'object.union(agent, {"frozen": true}).frozen',
  'object.remove(agent, ["tenant", "resources"]) == {"frozen": true}',
  'object.keys(agent.resources) == {"x", "y"}',
  'trim_prefix(input.resource.service, "") == "z"',
  'input.identity.id == input.extra[_]',
];

const helpers = `
agent := data.agents[input.identity.id]
scopes contains name if { some name, given in agent.resources; given.actions.read }
scopes contains "z" if input.action == "drop"
other contains input.extra if input.n > 3
other contains $"no {input.action}" if input.flag == false
grade("read") := 1
grade(action) := 2 if { action == "write" } else := 3 if { action != "drop" }
named[tenant] := 1 if tenant := agent.tenant
named["u"] := 1 if input.action == "drop"
all_of.deep.t if agent.tenant == "t"
default switch := "off"
switch := "on" if input.resource.service == "x"
else := "half" if input.action == "write"
`;

/** A policy of one grant rule and one reason rule, of a shape like the platform's. */
const policy = fc.record({
  grants: fc.array(fc.array(fc.nat(conditions.length - 1), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  reasons: fc.array(fc.array(fc.nat(conditions.length - 1), { minLength: 1, maxLength: 2 }), {
    maxLength: 2,
  }),
});

function sourceOf(name: string, { grants, reasons }: { grants: number[][]; reasons: number[][] }) {
  const rule = (set: string, body: number[], index: number) => {
    // A variable of one condition is no variable of another.
    const lines = body.map((at, place) =>
      conditions[at]!.replaceAll(
        /\b([skvixyzewn])\b(?!")(?!\/)(?=[^"]*(?:"[^"]*"[^"]*)*$)/g,
        `$1${place}`,
      ),
    );
    return `${set} contains {"code": "${set}${index}", "controls": ["C${index}"]} if {\n${lines.join('\n')}\n}`;
  };
  return [
    `package platform.${name}`,
    helpers,
    'default allow := false',
    'allow if { some _ in grants; count(reasons) == 0 }',
    ...grants.map((body, index) => rule('grants', body, index)),
    ...reasons.map((body, index) => rule('reasons', body, index)),
    reasons.length === 0 ? 'reasons := set()' : '',
    'controls := sort({c | some g in grants; some c in g.controls})',
    'decision := {"allow": true, "controls": controls} if allow',
    'else := {"allow": false, "controls": []}',
  ].join('\n');
}

const POLICIES = 40;
const pointers = ['/identity/id', '/resource/service'];

test('what is accepted is never refuted by the compiled module', async () => {
  const compiler = await RegoCompiler.load();
  const capabilities = JSON.parse(
    await readFile(new URL('../../../policies/capabilities.json', import.meta.url), 'utf8'),
  ) as JsonObject;
  const drawn = fc.sample(policy, { numRuns: POLICIES, seed: Date.now() % 2 ** 31 });
  const named = drawn.map((one, index) => ({
    path: `p${index}.rego`,
    content: sourceOf(`p${index}`, one),
  }));
  // A condition that the strict compiler refuses in this company leaves its policy out.
  const checked = compiler.check({ files: named, capabilities });
  const refused = new Set(checked.errors.map(({ file }) => file));
  const files = named.filter(({ path }) => !refused.has(path));
  assert.ok(files.length > POLICIES / 2, JSON.stringify(checked.errors.slice(0, 3)));
  const names = files.map(({ path }) => path.replace('.rego', ''));
  const built = compiler.build({
    files,
    capabilities,
    entrypoints: names.map((name) => `platform/${name}/decision`),
  });
  const module = Authorization.create({
    wasm: built.wasm,
    data: Buffer.from(JSON.stringify(data)),
  });
  const program = programOf(compiler.parse({ files }).modules);
  let accepted = 0;
  let allowing = 0;
  for (const [at, name] of names.entries()) {
    const rule = program.children.get('platform')!.children.get(name)!.children.get('decision')!
      .rule!;
    const base = { program, data: fromJson(data), rule, only: new Map<string, Value[]>() };
    const answers = universe.map((input) => ({
      input,
      answer: decided(module, `platform/${name}/decision`, input),
    }));
    const allowed = answers.filter(({ answer }) => answer.allow === true);
    if (allowed.length > 0) allowing++;
    const cases = new Map(allowed.map(({ input }) => [keyOf(valuesOf(input)), valuesOf(input)]));
    for (const dropped of [undefined, ...cases.keys()]) {
      const kept = [...cases].filter(([key]) => key !== dropped);
      const claim = claimOf(
        base,
        kept.map(([, values]) => values),
      );
      if (findGaps(claim).gaps.length > 0) continue;
      assert.is(dropped, undefined, `${files[at]!.content}\naccepted without ${dropped}`);
      assert.not(hasAbsent([...cases.values()]), `${files[at]!.content}\nabsent members`);
      accepted++;
    }
    for (const control of ['C0', 'C1']) {
      const { gaps } = findGaps({ ...claimOf(base, []), pointers: [], control });
      if (gaps.length > 0) continue;
      accepted++;
      const without = allowed.find(
        ({ answer }) => !(answer.controls as string[]).includes(control),
      );
      assert.is(without, undefined, `${files[at]!.content}\n${JSON.stringify(without)}`);
    }
  }
  assert.ok(accepted > 5 && allowing > 5, `${accepted} accepted, ${allowing} allow something`);
});

function decided(module: Authorization, entrypoint: string, input: JsonObject): JsonObject {
  try {
    return module.decideBytes(entrypoint, Buffer.from(JSON.stringify(input))).value as JsonObject;
  } catch {
    // An error of the evaluation is a deny.
    return { allow: false };
  }
}

function valuesOf(input: JsonObject): Value[] {
  const { identity, resource } = input as { identity?: JsonObject; resource?: JsonObject };
  return [identity?.id, resource?.service].map((value) =>
    value === undefined ? '(absent)' : fromJson(value),
  );
}

function hasAbsent(cases: Value[][]): boolean {
  return cases.some((values) => values.includes('(absent)'));
}

function claimOf(base: Omit<Claim, 'pointers' | 'cases' | 'values'>, cases: Value[][]): Claim {
  const values = new Map(
    pointers.map((pointer, at) => [
      pointer,
      new Map(cases.map((entry) => [keyOf([entry[at]!]), entry[at]!])),
    ]),
  );
  return { ...base, pointers, cases: new Set(cases.map(keyOf)), values };
}

test.run();
