import { execFileSync } from 'node:child_process';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { JWK } from 'jose';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../json.ts';
import { Authorization } from '../modules/authorization.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { moduleBytes } from '../modules/source.ts';
import { needs } from '../testing/needs.ts';
import { sampleData } from '../testing/sample-data.ts';
import { sampleRequests } from '../testing/sample-requests.ts';
import { buildDataBundle } from './build.ts';
import { compilePolicies } from './compile.ts';
import { readBundle } from './files.ts';
import { createBundleKey } from './keys.ts';
import { loadPair } from './load.ts';
import { canonical } from './revision.ts';
import { signBundle } from './sign.ts';
import { POLICIES, writeSamplePair } from './testing.ts';
import { writeBundle } from './write.ts';

// An operator's policy that uses what could differ between two evaluators: sets, text, numbers.
const OPERATOR = `package platform.tool.operator

deny contains {"code": "long", "message": $"{count(input.arguments)} arguments"} if {
	count(input.arguments) > 3
}

deny contains {"code": "odd", "message": concat(",", sort([key | some key, _ in input.arguments]))} if {
	some value in input.arguments
	is_string(value)
	regex.match("^[a-z]*[^ -~]", lower(value))
}

deny contains {"code": "many", "controls": [control | some control in {"A:1", "B:2", "C:3"}]} if {
	some value in input.arguments
	is_number(value)
	value * 3 > 1e9
}

require_approval contains {"question": $"{input.resource.name}: {count(input.arguments)}?"} if {
	startswith(input.resource.name, "m")
	not trivial
}

trivial if object.get(input, ["arguments", "a"], null) == "b"
`;

function pemOf(jwk: JWK): string {
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

const root = mkdtempSync(join(tmpdir(), 'opa-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

if (needs('go')) {
  const reference = join(root, 'reference');
  execFileSync('go', ['build', '-mod=readonly', '-o', reference, './reference'], {
    cwd: fileURLToPath(new URL('../../wasm/rego', import.meta.url)),
  });
  const operator = join(root, 'operator');
  mkdirSync(operator);
  writeFileSync(join(operator, 'deny.rego'), OPERATOR);
  const folder = join(root, 'pair');
  const { trusted } = await writeSamplePair(folder, {
    policies: await compilePolicies([POLICIES, operator]),
    data: sampleData(200),
  });
  const archives = join(root, 'archives');
  for (const kind of ['policy', 'data']) {
    await writeBundle(await readBundle(join(folder, kind)), join(archives, `${kind}.tar.gz`));
  }
  const key = join(root, 'key.pem');
  writeFileSync(key, pemOf(trusted[0]!));

  const ask = (pair: string, queries: JsonValue): JsonValue =>
    JSON.parse(
      execFileSync(reference, [pair, key], {
        input: JSON.stringify(queries),
        maxBuffer: 256 << 20,
        stdio: ['pipe', 'pipe', 'pipe'],
      }).toString(),
    );

  test('the Go OPA verifies both bundles and gives the answers of the compiled module', async () => {
    const pair = await loadPair(folder, trusted);
    const { policy, data } = pair;
    assert.ok(policy.decisions, 'our compiler takes all of it');
    const authorization = Authorization.create({
      ...policy,
      ...{ data: data.json, reads: policy.readPaths },
    });
    const record = RecordModule.create(moduleBytes('record'));
    const queries: JsonValue[] = [];
    const ours: string[] = [];
    for (const request of sampleRequests(6000, 3)) {
      if (request.module !== 'authorization') continue;
      let input: Uint8Array;
      try {
        input = record.canonicalize(request.input);
      } catch {
        continue;
      }
      const query = `data.platform.${request.boundary}.decision`;
      queries.push({ query, input: JSON.parse(Buffer.from(input).toString()) });
      const output = authorization.decideBytes(
        `platform/${request.boundary}/decision`,
        input,
      ).bytes;
      ours.push(canonical(JSON.parse(Buffer.from(output).toString())));
    }
    const theirs = (ask(folder, queries) as JsonValue[]).map(canonical);
    const differing = ours.findIndex((text, index) => text !== theirs[index]);
    assert.is(ours[differing], theirs[differing], JSON.stringify(queries[differing]));
    assert.ok(ours.length > 2500, `${ours.length} inputs`);
    const rules = new Set(ours.map((text) => (JSON.parse(text) as JsonObject).rule));
    for (const rule of ['granted', 'operator.odd', 'operator.long', 'approval_required']) {
      assert.ok(rules.has(`platform.tool.${rule}`), rule);
    }
    assert.equal(ask(archives, queries.slice(0, 20)), ask(folder, queries.slice(0, 20)));
  });

  test('the Go OPA hashes any data as we do', async () => {
    const keys = await createBundleKey();
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    const samples = fc.sample(value, { numRuns: 300, seed: 5 });
    const data = buildDataBundle({ tools: { samples: samples as JsonValue } });
    // Numbers as people write them, which a parser must not rewrite before it hashes.
    const text = Buffer.from(data.files.get('data.json')!).toString();
    const numbers = '"numbers":[1.0,1e2,1E+2,-0,0.10,12345678901234567890],';
    data.files.set('data.json', Buffer.from(text.replace('{', `{"limits":{${numbers}"x":1},`)));
    await signBundle(data.files, 'data', keys.privateKey);
    const mixed = join(root, 'mixed');
    await writeBundle(data.files, join(mixed, 'data'));
    const other = join(root, 'other.pem');
    writeFileSync(other, pemOf(keys.publicKey));
    const policy = await readBundle(join(folder, 'policy'));
    await signBundle(policy, 'policy', keys.privateKey);
    await writeBundle(policy, join(mixed, 'policy'));
    const answer = execFileSync(reference, [mixed, other], {
      input: '[{"query":"count(data.tools.samples)"}]',
    });
    assert.equal(JSON.parse(answer.toString()), [300]);
  });

  test('the Go OPA refuses what we refuse', async () => {
    const changed = join(root, 'changed');
    for (const kind of ['policy', 'data']) {
      await writeBundle(await readBundle(join(folder, kind)), join(changed, kind));
    }
    writeFileSync(join(changed, 'data', 'data.json'), '{"agents":{}}');
    assert.throws(() => ask(changed, []), /digest mismatch/);
    const swapped = join(root, 'swapped');
    await writeBundle(await readBundle(join(folder, 'policy')), join(swapped, 'data'));
    await writeBundle(await readBundle(join(folder, 'policy')), join(swapped, 'policy'));
    assert.throws(() => ask(swapped, []), /scope mismatch/);
  });
}

test.run();
