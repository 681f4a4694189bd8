// What is proved holds for every input of a finite universe, and what is refuted the module confirms.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../../runtime/bundle/compile.ts';
import { POLICIES as OWN } from '../../../runtime/bundle/testing.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { builtins } from './builtins.ts';
import type { Ask } from './counterexample.ts';
import { load } from './load.ts';
import type { Subject } from './machine.ts';
import type { PolicyNode } from './policy.ts';
import { type Property, readProperty, SentenceError } from './property.ts';
import { type Proof, prove } from './prove.ts';
import { DATA, policyRules, universe } from './random-policies.ts';
import { SetValue } from './values.ts';
import { identitiesOf, isInside, requireScope } from './who.ts';

const POLICIES = 30;
const own = await readPolicies(OWN);
const inputs = [...universe()];

/** Compiles many policies at once, each as a boundary of its own. */
async function loadAll(policies: string[]) {
  const files = policies.map((rules, index) => ({
    path: `p${index}/p${index}.rego`,
    content: `package platform.p${index}\n\n${rules}\n`,
  }));
  const entrypoints = policies.map((_, index) => `platform/p${index}/decision`);
  const { capabilities } = own;
  const loaded = await load({ sources: { files, capabilities, entrypoints } });
  return { ...loaded, subject: { ...loaded.subject, data: DATA } };
}

/** The subject in which one of the policies stands where a sentence looks for the boundary `tool`. */
function standIn(subject: Subject, index: number): Subject {
  const platform = subject.tree.children.get('platform')!;
  const children = new Map(platform.children).set('tool', platform.children.get(`p${index}`)!);
  const tree: PolicyNode = {
    ...subject.tree,
    children: new Map([['platform', { ...platform, children }]]),
  };
  return { ...subject, tree };
}

const at = (input: JsonObject, pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce<JsonValue | undefined>(
      (value, name) => (isJsonObject(value) ? value[name] : undefined),
      input,
    );

const idOf = (input: JsonObject) => at(input, '/identity/spiffe_id');
const isCall = (input: JsonObject) => input.action === 'call';
const allows = (output: JsonValue | undefined) => isJsonObject(output) && output.allow === true;

type Allowed = { input: JsonObject; output: JsonObject };

/** Whether the allowed inputs contradict the sentence, said again in plain words. */
function contradicts(property: Property, allowed: Allowed[]): boolean {
  if (property.kind === 'carries_control') {
    return allowed.some(({ output }) => !(output.controls as string[]).includes(property.control));
  }
  const calls = allowed.map(({ input }) => input).filter(isCall);
  const service = (input: JsonObject) => at(input, '/resource/service');
  if (property.kind === 'tenant_only') {
    return calls.some((input) => {
      const id = idOf(input);
      return (
        service(input) === property.service &&
        !(typeof id === 'string' && isInside(DATA, id, property.tenant))
      );
    });
  }
  assert.is(property.kind, 'no_shared_service');
  const ofAgent = (name: string) => {
    const paths = identitiesOf(DATA, name).map((id) => id.slice(0, id.lastIndexOf('/') + 1));
    return calls.filter((input) => paths.some((path) => String(idOf(input)).startsWith(path)));
  };
  const [a, b] = (property as { agents: [string, string] }).agents;
  const reached = new Set(ofAgent(a).map((input) => JSON.stringify(service(input))));
  return ofAgent(b).some(
    (input) =>
      reached.has(JSON.stringify(service(input)) ?? 'none') && service(input) !== undefined,
  );
}

function agrees(input: JsonObject, when: Record<string, JsonValue>): boolean {
  return Object.entries(when).every(([pointer, constant]) => at(input, pointer) === constant);
}

const sentences = [
  'no identity outside tenant t1 reaches service s1',
  'no identity outside tenant t2 reaches service s3',
  'agents t1/a and t2/c share no service',
  'agents t1/b and t1/d share no service',
  'every allow of tool carries control C',
].map(readProperty);

test('proofs hold and refutations are confirmed, for generated policies', async () => {
  const verdicts: Record<Proof['verdict'], number> = { proved: 0, refuted: 0, unknown: 0 };
  // Compiled all at once, which a property test of one policy after the other could not be.
  const policies = fc.sample(policyRules, POLICIES);
  const { subject, mentioned, askAt } = await loadAll(policies);
  for (const [index, policy] of policies.entries()) {
    const ask = askAt(`p${index}`, DATA);
    const allowed = inputs.flatMap((input) => {
      const output = ask(input);
      return allows(output) ? [{ input, output: output as JsonObject }] : [];
    });
    for (const property of sentences) {
      const proof = prove({
        property,
        subject: standIn(subject, index),
        ask,
        schema: undefined,
        mentioned: new Set([...mentioned, 's1', 's3']),
      });
      verdicts[proof.verdict]++;
      check(property, proof, allowed, ask, `${property.text}\n\n${policy}`);
    }
  }
  const { proved, refuted, unknown } = verdicts;
  assert.ok(proved > unknown && refuted > unknown, JSON.stringify(verdicts));
});

function check(property: Property, proof: Proof, allowed: Allowed[], ask: Ask, context: string) {
  if (proof.verdict === 'refuted') {
    const found = proof.inputs.map((input) => ({ input, output: ask(input) as JsonObject }));
    assert.ok(
      found.every(({ output }) => allows(output)),
      context,
    );
    assert.ok(contradicts(property, found), `${JSON.stringify(proof.inputs)}\n${context}`);
  }
  if (proof.verdict !== 'proved') return;
  assert.not(contradicts(property, allowed), context);
  const { cases, scope } = proof;
  if (cases === undefined || property.kind === 'carries_control') return;
  for (const { input } of allowed.filter((one) => agrees(one.input, scope!))) {
    const covered = cases.some(({ when }) => agrees(input, when));
    assert.ok(covered, `${JSON.stringify(input)}\n${context}`);
  }
}

async function proveWith(rules: string, data: string, sentence = sentences[0]!) {
  const folder = await mkdtemp(join(tmpdir(), 'prove-'));
  try {
    const file = join(folder, 'data.json');
    await writeFile(file, data);
    const files = [{ path: 'tool.rego', content: `package platform.tool\n\n${rules}\n` }];
    const entrypoints = ['platform/tool/decision'];
    const { capabilities } = own;
    const loaded = await load({ sources: { files, capabilities, entrypoints }, data: file });
    const ask = loaded.askAt('tool');
    const mentioned = new Set(['s1']);
    return prove({
      property: sentence,
      subject: loaded.subject,
      ask,
      schema: undefined,
      mentioned,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const decides = (deny: string) => `deny if ${deny}
decision := {"allow": true} if {
	input.identity.spiffe_id == "x"
	input.resource.service == "s1"
	not deny
}`;
const listed = (more: string) =>
  `{"agents": {"spiffe://t/agent/t1/a/main": {"tenant": "t1", "agent": "a"}}${more}}`;

test('nothing is proved by numbers that binary64 does not hold', async () => {
  const equal = await proveWith(decides('9007199254740993 == 9007199254740992'), listed(''));
  assert.is(equal.verdict, 'refuted');
  const big = ', "limits": {"a": 9007199254740993, "list": [0.10000000000000000001]}';
  for (const [deny, data, file] of [
    ['9007199254740993 != 9007199254740992', '', 'tool.rego'],
    ['1-0.10000000000000000001 != 1-0.1', '', 'tool.rego'],
    ['data.limits.a == 9007199254740992', big, 'tool.rego'],
    ['data.limits.a > 5', big, ''],
    ['0.1 in data.limits.list', big, ''],
  ] as const) {
    const proof = await proveWith(decides(deny), listed(data));
    assert.not.equal(proof.verdict, 'proved', deny);
    if (proof.verdict !== 'unknown') continue;
    const stop = proof.stops.find(({ why }) => /binary64/.test(why));
    assert.is(stop?.file, file, deny);
    assert.is(stop?.row, file === '' ? 0 : 3, deny);
  }
  const exact = await proveWith(decides('data.limits.a == 0.5'), listed(', "limits": {"a": 0.5}'));
  assert.is(exact.verdict, 'proved');
});

test('a sentence about a scope or a boundary that nothing knows is refused', async () => {
  const rules = decides('false');
  for (const sentence of [
    'only t1/a reach secret scope spiffe://t/agent/t2/* at secret',
    'every allow of nothing carries control C',
  ]) {
    let error: unknown;
    await proveWith(rules, listed(''), readProperty(sentence)).catch((thrown) => (error = thrown));
    assert.instance(error, SentenceError, sentence);
  }
  assert.throws(() => requireScope({ agents: {} }, 's', []), /is a scope s/);
  const agents = { 'spiffe://t/agent/t1/a/main': {} };
  requireScope({ agents }, 'spiffe://t/agent/t1/*', []);
  assert.throws(() => requireScope({ agents }, 'spiffe://t/agent/t/*', []));
});

test('concat over a set is not computed, because its order is the module’s own', () => {
  const concat = builtins.get('concat')!;
  const set = new SetValue(['b', 'a'].map((value) => ({ value, sure: true })));
  assert.is(
    concat([',', set], () => {}),
    'unknown',
  );
});

test.run();
