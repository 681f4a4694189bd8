// What the prover proves of the platform's own policies, the checker accepts, and nothing made of it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildDataBundle } from '../../../runtime/bundle/build.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { SAMPLE_OPERATOR, sampleAgent, sampleData } from '../../../runtime/testing/sample-data.ts';
import { checkCertificate } from '../../policy/certificate/check.ts';
import { certificateOf } from '../../policy/prove/certificate.ts';
import { load } from '../../policy/prove/load.ts';
import { readProperty } from '../../policy/prove/property.ts';
import { prove as proveIn } from '../../policy/prove/prove.ts';
import { policySources } from './sources.ts';

const loaded = await load({ sources: await policySources([]) });
const compiler = remembering(await RegoCompiler.load());

/** The compiler, asked once for each request: all certificates here are about the same sources. */
function remembering(real: RegoCompiler): RegoCompiler {
  const answers = new Map<string, unknown>();
  return new Proxy(real, {
    get: (target, name) => (request: object) => {
      const key = `${String(name)} ${JSON.stringify(request)}`;
      if (!answers.has(key)) {
        const method = Reflect.get(target, name) as (request: object) => unknown;
        answers.set(key, method.call(target, request));
      }
      return answers.get(key);
    },
  });
}

const sample = sampleData(20);

const id = (path: string) => `spiffe://platform.local/agent/${path}/main`;
const entry = (path: string, service: string, more: JsonObject = {}) => {
  const [tenant, agent] = path.split('/') as [string, string];
  const catalog = { actions: { write: true }, services: { [service]: true } };
  return {
    [id(path)]: {
      ...{ tenant, agent, role: 'main' },
      resources: { [service]: { actions: { read: true, write: true } }, catalog },
      credentials: { [service]: true },
      exchange: { [service]: true },
      services: { [service]: true },
      ...more,
    },
  };
};

const acme = 'spiffe://platform.local/agent/acme/*';

/** Data of its own for sentences that do not hold where every service has agents of several tenants. */
const small: JsonObject = {
  agents: {
    ...entry('acme/buyer', 'orders'),
    ...entry('acme/payer', 'payments', { secrets: { tenant_write: true, role_write: true } }),
    ...entry('globex/desk', 'orders'),
  },
  scopes: { [acme]: {} },
  services: { payments: { agents: true, callers: {} }, orders: { agents: true, callers: {} } },
  limits: { agent_minute: 120, tenant_minute: 600 },
};
const operated = { ...small, operators: { [SAMPLE_OPERATOR]: { actions: { operate: true } } } };

function prove(sentence: string, data: JsonObject) {
  const property = readProperty(sentence);
  const { boundary } = property;
  const subject = { ...loaded.subject, data };
  const [ask, schema] = [loaded.askAt(boundary, data), loaded.schemas[boundary]];
  return {
    property,
    ask,
    proof: proveIn({ property, subject, ask, schema, mentioned: loaded.mentioned }),
  };
}

/** Proves, writes the certificate, checks it, and checks everything that is made of it. */
async function holds(sentence: string, data: JsonObject, otherSentence: string) {
  const { property, proof } = prove(sentence, data);
  if (proof.verdict !== 'proved') throw new Error(`${sentence}: ${JSON.stringify(proof)}`);
  assert.is(proof.assumed, undefined, sentence);
  assert.ok(proof.cases !== undefined && proof.cases.length > 0, `${sentence}: no certificate`);
  const bundle = buildDataBundle(data);
  const written = JSON.stringify(certificateOf(property, proof, { ...loaded, data: bundle }));
  const right = JSON.parse(written) as {
    property: JsonObject;
    bundle: JsonObject;
    cases: JsonValue[];
  };
  const check = (certificate: object) =>
    checkCertificate({
      certificate: certificate as JsonObject,
      compiler,
      policy: loaded.policy.files,
      data: bundle.files,
    });
  const answer = await check(right);
  assert.ok(answer.ok, `${sentence}: ${answer.summary}`);
  const other = `sha256:${'0'.repeat(64)}`;
  const made: [object, RegExp][] = [
    [{ ...right, cases: right.cases.slice(1) }, /^(not_covered|not_shown|case_incomplete)$/],
    [{ ...right, bundle: { ...right.bundle, policy: other } }, /^revision_differs$/],
    [{ ...right, bundle: { ...right.bundle, data: other } }, /^revision_differs$/],
    [
      { ...right, property: { ...right.property, text: otherSentence } },
      /^(property_broken|scope_differs|entrypoint_differs|not_shown)$/,
    ],
    [
      { ...right, property: { ...right.property, scope: { '/action': 'none' } } },
      /^scope_differs$/,
    ],
  ];
  for (const [certificate, code] of made) {
    const refused = await check(certificate);
    assert.is(refused.ok, false, `${sentence}: ${JSON.stringify(certificate).slice(0, 300)}`);
    assert.match(refused.problems[0]!.code, code, refused.summary);
  }
}

test('no identity outside a tenant reaches a service', async () => {
  for (const boundary of ['tool', 'registration', 'exchange', 'mesh', 'credential']) {
    const says = (tenant: string) =>
      `no identity outside tenant ${tenant} reaches service payments at ${boundary}`;
    const data = boundary === 'credential' ? operated : small;
    await holds(says('acme'), data, says('globex'));
  }
});

test('two agents share no service', async () => {
  for (const boundary of ['tool', 'credential', 'exchange']) {
    const says = (one: number, two: number) =>
      `agents agent-${one} and agent-${two} share no service at ${boundary}`;
    await holds(says(1, 4), sample, says(1, 9));
  }
  const says = (one: string, two: string) => `agents ${one} and ${two} share no service at mesh`;
  await holds(says('acme/buyer', 'acme/payer'), small, says('acme/buyer', 'globex/desk'));
});

test('two agents cannot talk', async () => {
  const says = (one: number, two: number) => `agents agent-${one} and agent-${two} cannot talk`;
  await holds(says(2, 3), sample, says(4, 5));
});

test('only the agents named change what is in a scope', async () => {
  const says = (agent: string, scope = acme) => `only ${agent} reach secret scope ${scope}`;
  await holds(says('acme/payer'), small, says('acme/buyer'));
  const buyer = id('acme/buyer');
  await holds(says('acme/buyer', buyer), small, says('acme/payer', buyer));
  // The same at 20 agents, where no operator keeps everybody's secrets.
  const scope = 'spiffe://platform.local/agent/tenant-0/*';
  const agents = { ...sample, operators: {} };
  await holds(says('agent-0', scope), agents, says('agent-1', scope));
});

test('a certificate about the secret boundary speaks of all that changes something, and of it alone', () => {
  const { proof } = prove(`only acme/payer reach secret scope ${acme}`, small);
  assert.equal(proof.verdict === 'proved' && proof.scope, {
    '/action': ['write', 'delete', 'restore'],
    '/resource/scope': acme,
  });
  assert.equal(proof.verdict === 'proved' && proof.cases, [
    { when: { '/identity/spiffe_id': id('acme/payer'), '/resource/scope': acme } },
  ]);
});

test('every allow carries a control', async () => {
  for (const [boundary, control, other] of [
    ['tool', 'SOC2:CC6.1', 'NIST:AC-3'],
    ['credential', 'NIST:IA-5', 'NIST:AC-4'],
    ['message', 'NIST:AC-4', 'NIST:IA-5'],
    ['exchange', 'SOC2:CC6.1', 'NIST:SC-12'],
    ['mesh', 'NIST:AC-3', 'NIST:SC-12'],
    ['secret', 'NIST:SC-12', 'SOC2:CC6.1'],
    ['console', 'NIST:AC-3', 'NIST:SC-12'],
  ] as const) {
    const says = (what: string) => `every allow of ${boundary} carries control ${what}`;
    await holds(says(control), sample, says(other));
  }
});

test('what is refuted, the compiled module allows', () => {
  const outside = (data: JsonObject, sentence: string, who: string, ...more: string[]) => {
    const { ask, proof } = prove(sentence, data);
    if (proof.verdict !== 'refuted') throw new Error(`${sentence}: ${JSON.stringify(proof)}`);
    assert.is(proof.inputs.length, 1 + more.length);
    for (const [index, input] of proof.inputs.entries()) {
      assert.is((ask(input) as JsonObject).allow, true, sentence);
      const { spiffe_id } = (input.identity ?? input) as JsonObject;
      assert.is(spiffe_id, [who, ...more][index]);
    }
  };
  const scope = 'spiffe://platform.local/agent/tenant-0/*';
  outside(sample, `only agent-0 reach secret scope ${scope}`, SAMPLE_OPERATOR);
  outside(small, `only acme/buyer reach secret scope ${acme}`, id('acme/payer'));
  const reaches = 'no identity outside tenant globex reaches service';
  outside(small, `${reaches} payments`, id('acme/payer'));
  outside(small, `${reaches} payments at exchange`, id('acme/payer'));
  outside(operated, `${reaches} payments at registration`, SAMPLE_OPERATOR);
  const share = 'agents agent-1 and agent-9 share no service';
  outside(sample, share, sampleAgent(1), sampleAgent(9));
  outside(sample, 'agents agent-4 and agent-5 cannot talk', sampleAgent(4));
  const { ask, proof } = prove('every allow of tool carries control NIST:AC-3', sample);
  assert.is(proof.verdict, 'refuted');
  const answer = ask((proof as { inputs: JsonObject[] }).inputs[0]!) as JsonObject;
  assert.is(answer.allow, true);
  assert.equal(answer.controls, ['SOC2:CC6.1']);
});

test.run();
