// Small random policies and every input of a small universe, for tests of the prover.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';

const id = (path: string) => `spiffe://td/agent/${path}`;

/** One entry says another tenant than its SPIFFE ID; `t1/a/other` is no entry. */
export const AGENTS: JsonObject = {
  [id('t1/a/main')]: {
    tenant: 't1',
    agent: 'a',
    resources: { s1: { tools: { x: true } }, s2: {} },
    list: ['s1', 's2'],
    level: 2,
  },
  [id('t1/b/main')]: {
    tenant: 't1',
    agent: 'b',
    resources: { s2: { tools: {} } },
    list: [],
    level: 1,
  },
  [id('t2/c/main')]: { tenant: 't2', agent: 'c', resources: { s3: {} }, list: ['s1'] },
  [id('t2/d/main')]: { tenant: 't1', agent: 'd', resources: { s1: {} }, level: false },
};

export const DATA: JsonObject = {
  agents: AGENTS,
  services: { s1: { public: false }, s3: { public: true } },
  limits: { most: 1 },
};

const who = [...Object.keys(AGENTS), id('t1/a/other'), 'nobody', undefined, 7];
const what: (JsonValue | undefined)[] = ['s1', 's2', 's3', 'zz', '', undefined, null, { s1: true }];
const actions = ['call', 'list', undefined];
const names = ['x', undefined, 's1'];
const numbers = [0, 1, 2, 'many', undefined];

/** Every input of the universe. */
export function* universe(): Generator<JsonObject> {
  for (const spiffe_id of who) {
    for (const service of what) {
      for (const action of actions) {
        for (const name of names) {
          for (const n of numbers) {
            const input = { action, identity: { spiffe_id }, resource: { service, name }, n };
            yield JSON.parse(JSON.stringify(input)) as JsonObject;
          }
        }
      }
    }
  }
}

const entry = 'data.agents[input.identity.spiffe_id]';

/** Conditions that use no helper. */
const plain = fc.constantFrom(
  'input.action == "call"',
  'input.action != "list"',
  'input.action in {"call", "list"}',
  `input.identity.spiffe_id == "${id('t1/a/main')}"`,
  `input.identity.spiffe_id in ["${id('t1/b/main')}", "${id('t2/c/main')}"]`,
  'input.resource.service == "s1"',
  'input.resource.service != "s1"',
  'not input.resource.service == "s2"',
  'not input.resource.service',
  'input.resource.service in {"s1", "s3"}',
  'not input.resource.service in ["s1"]',
  `${entry}`,
  `not ${entry}`,
  `${entry}.tenant == "t1"`,
  `${entry}.tenant != "t1"`,
  `${entry}.level`,
  `not ${entry}.level`,
  `${entry}.level > 1`,
  `${entry}.resources[input.resource.service]`,
  `not ${entry}.resources[input.resource.service]`,
  `${entry}.resources[input.resource.service].tools[input.resource.name]`,
  `some _ in ${entry}.list`,
  `input.resource.service in ${entry}.list`,
  `every one in ${entry}.list { one != input.resource.service }`,
  `some who1, it1 in data.agents; who1 == input.identity.spiffe_id; it1.tenant == "t2"`,
  `some it2 in data.agents; it2.agent == input.resource.name`,
  'data.services[input.resource.service].public == true',
  'not data.services[input.resource.service].public == true',
  'some name; data.services[name].public; name == input.resource.service',
  'count({s | some s in ["s1", "s2"]; s == input.resource.service}) > 0',
  'count([s | some s in ["s1", "s2"]; s == input.resource.service]) == 0',
  'count({who | some who, it3 in data.agents; it3.tenant == "t2"}) == 1',
  'input.n <= data.limits.most',
  'input.n > 1',
  'not input.n > 1',
  'input.n == 1',
  'startswith(input.resource.service, "s")',
  'not startswith(input.resource.service, "s")',
  'endswith(input.identity.spiffe_id, "/a/main")',
  'split(input.identity.spiffe_id, "/")[4] == "t1"',
  'object.get(input.resource, "name", "none") == "none"',
  'object.get(input, ["resource", "name"], "none") == "x"',
  '{"a": input.resource.service} == {"a": "s1"}',
  '[input.resource.service, input.action] == ["s2", "call"]',
  '[first, "call"] = [input.resource.service, input.action]; first == "s1"',
  '{input.resource.service, "s1"} == {"s1"}',
  'concat("", [input.resource.service, "x"]) == "s1x"',
  '$"{input.resource.service}!" == "s3!"',
  'input.resource.service == input.resource.name',
  'input.resource == {"service": "s1"}',
  'part := input.resource; part.service == "s2"',
  'is_string(input.resource.service)',
  'input.resource.service[_] == true',
  'some key; input.resource[key] == "s3"',
  'object.keys(input.resource) == {"service", "name"}',
  'input.resource.service == "s2" with input.resource.service as "s2"',
  'lower(input.resource.service) == "s1"',
  'max([1, input.n]) == 1',
);

/** Conditions on the helpers `h0`, `h1` (rules), `set0` and `f`, which every policy has. */
const helped = fc.constantFrom(
  'h0',
  'not h0',
  'h1',
  'not h1',
  'h1 == 2',
  'set0["s1"]',
  'not set0[input.resource.service]',
  'input.resource.service in set0',
  'count(set0) == 0',
  'count(set0) > 1',
  'some _ in set0',
  'set0 == {"s1"}',
  'f(input.resource.service)',
  'not f(input.resource.service)',
  'f(input.resource.name) == "s1"',
  'every one in set0 { one == input.resource.service }',
  'sort(set0) == ["s1", "s2"]',
  'set0 | {"s1"} == {"s1"}',
  'h0 with input as {"action": "call"}',
);

const helperBody = fc.uniqueArray(plain, { minLength: 1, maxLength: 3 });
const body = fc.uniqueArray(fc.oneof({ weight: 2, arbitrary: plain }, helped), {
  minLength: 1,
  maxLength: 4,
});
const lines = (conditions: string[]) => conditions.map((condition) => `\t${condition}`).join('\n');
const rule = (head: string) => helperBody.map((given) => `${head} if {\n${lines(given)}\n}`);
const text = fc.constantFrom('"s1"', '"s2"', 'input.resource.service', `${entry}.tenant`);

const helpers = fc
  .tuple(
    fc.constantFrom('', 'default h0 := false', 'default h0 := true'),
    rule('h0'),
    rule('h0'),
    helperBody,
    helperBody,
    fc.array(fc.tuple(text, helperBody), { minLength: 1, maxLength: 3 }),
    helperBody,
  )
  .map(([byDefault, one, two, first, second, elements, condition]) =>
    [
      byDefault,
      one,
      two,
      `h1 := 1 if {\n${lines(first)}\n} else := 2 if {\n${lines(second)}\n}`,
      ...elements.map(([value, given]) => `set0 contains ${value} if {\n${lines(given)}\n}`),
      'f("s1") := true',
      `f(x) := x if {\n\tx != "s1"\n${lines(condition)}\n} else := false`,
    ].join('\n\n'),
  );

const controls = fc.constantFrom('["C"]', '["A", "C"]', '["A"]');

/** By a default and rules, or by what grants and what refuses, as the platform's own. */
const decisions = fc.oneof(
  fc.tuple(body, body, controls).map(
    ([one, two, given]) => `default allow := false

allow if {\n${lines(one)}\n}

allow if {\n${lines(two)}\n}

decision := {"allow": allow, "controls": ${given}}`,
  ),
  fc.tuple(body, body, body, controls, controls).map(
    ([
      one,
      two,
      refused,
      first,
      second,
    ]) => `grants contains {"code": "one", "controls": ${first}} if {\n${lines(one)}\n}

grants contains {"code": "two", "controls": ${second}} if {\n${lines(two)}\n}

reasons contains "refused" if {\n${lines(refused)}\n}

default allow := false

allow if {
	some _ in grants
	count(reasons) == 0
}

decision := {"allow": true, "controls": sort({c | some g in grants; some c in g.controls})} if {
	allow
} else := {"allow": false, "controls": []}`,
  ),
);

/** The text of a policy's rules, without its package. */
export const policyRules = fc.tuple(helpers, decisions).map((parts) => parts.join('\n\n'));
