// The audit over whole logs: what it recomputes, and what it says of rows that were changed or are missing.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decision } from '../../decide/decision.ts';
import { sampleRequests } from '../../testing/sample-requests.ts';
import { exportOpenings, importOpenings, type Openings } from '../openings.ts';
import type { DecisionFacts } from '../row.ts';
import { record } from '../testing/drafts.ts';
import { decider, decideTool, draftOf, type Place, place } from '../testing/place.ts';
import { audit } from './audit.ts';

const run = ({ evidence, checkpoints, bundleKeys }: Place, openings: Openings = new Map()) =>
  audit({ evidence, checkpoints, bundleKeys, record, openings });

test('hostile decisions of every boundary and module are all reproduced with their openings', async () => {
  const at = await place('hostile');
  const samples = sampleRequests(400, 7);
  let allowed = 0;
  for (const sample of samples) {
    if (sample.schema) await at.log.putObject(sample.schema);
    const decision = decider.decide(sample);
    if (decision.allow) allowed++;
    await at.log.append(draftOf(decision));
  }
  await at.close();
  assert.ok(allowed > 50, `${allowed} allowed`);
  const report = await run(at, await at.openings.read());
  assert.is(report.tampered, undefined);
  assert.equal(report.diverged, []);
  assert.equal([...report.undetermined], []);
  assert.equal(report.rowVerdicts, { reproduced: 400, diverged: 0, undetermined: 0 });

  const file = exportOpenings(await at.openings.read());
  assert.is((await run(at, importOpenings(file))).rowVerdicts.reproduced, 400);
  const blind = await run(at);
  assert.ok(blind.rowVerdicts.undetermined > 40, `${blind.rowVerdicts.undetermined} undetermined`);
  assert.ok(blind.rowVerdicts.reproduced > 50, 'what depends on no committed field');
  assert.is(blind.rowVerdicts.diverged, 0);
});

test('secrets in committed fields are in no byte of the log, and only encrypted in the store', async () => {
  const at = await place('secrets');
  const secrets: string[] = [];
  for (let call = 0; call < 50; call++) {
    const secret = `S3cr3t-${randomBytes(12).toString('base64url')}`;
    secrets.push(secret);
    const decision = decideTool({ password: secret });
    await at.log.append({ ...draftOf(decision), kind: 'intent', outcome: undefined });
    const { openings: _, ...withOpenings } = { ...draftOf(decision), extra: decision.openings };
    await at.log.append(withOpenings);
  }
  await at.close();
  const written = [join(at.evidence, 'segment')];
  for (const day of await at.openings.days())
    written.push(join(at.root, 'openings', `${day}.openings`));
  assert.is(written.length, 2);
  for (const path of written) {
    const bytes = readFileSync(path).toString('latin1');
    assert.ok(bytes.length > 1000);
    for (const secret of secrets) {
      assert.not(bytes.includes(secret));
      assert.not(bytes.includes(Buffer.from(secret).toString('base64').slice(2, -4)));
    }
  }
  const openings = await at.openings.read();
  const values = [...openings.values()].map(({ value }) => Buffer.from(value).toString('utf8'));
  for (const secret of secrets) assert.ok(values.some((value) => value.includes(secret)));

  await at.openings.erase();
  assert.is((await at.openings.read()).size, 0);
});

/** Audits one row whose decision was changed on the way into the log. */
async function auditChanged(name: string, change: (decision: Decision) => DecisionFacts) {
  const at = await place(name);
  const decision = decideTool({ to: 'a@example.org' });
  const changed = change(decision);
  const { allow } = JSON.parse(Buffer.from(changed.outputBytes).toString('utf8'));
  const kind = allow ? 'intent' : 'denial';
  await at.log.append({ ...draftOf(decision), kind, decisions: [changed] });
  await at.close();
  return run(at, await at.openings.read());
}

/** The id that belongs to these facts, as a platform that lies about its output would write it. */
function named(facts: DecisionFacts): DecisionFacts {
  const { boundary, module, policyRevision, dataRevision, committedInput, outputBytes } = facts;
  const fields = [boundary, module, policyRevision, dataRevision, committedInput, outputBytes];
  const id = Buffer.from(record.decisionId(['platform/decision/v1', ...fields])).toString('hex');
  return { ...facts, id };
}

test('a decision that the modules do not give is diverged, and told with what differs', async () => {
  const flipped = await auditChanged('flipped', (decision) => {
    const output = { ...decision.output, allow: !decision.allow };
    return named({
      ...decision,
      outputBytes: record.canonicalize(Buffer.from(JSON.stringify(output))),
    });
  });
  assert.is(flipped.rowVerdicts.diverged, 1);
  const [finding] = flipped.diverged;
  assert.is(finding?.module, 'authorization');
  assert.is(finding?.difference?.pointer, '/allow');
  assert.is(finding?.difference?.expected, !finding?.difference?.found);
  const read = (pointer: string) => finding?.reads?.find((each) => each.pointer === pointer);
  assert.equal(read('/identity/spiffe_id'), {
    pointer: '/identity/spiffe_id',
    value: 'spiffe://platform.local/agent/tenant-1/agent-1/main',
    ...{ committed: false, decisive: true },
  });
  assert.is(read('/approval/verdict')?.decisive, false);
  assert.is(read('/arguments'), undefined, 'the policy does not read it');

  const otherId = await auditChanged('id', (decision) => ({ ...decision, id: 'f'.repeat(64) }));
  assert.is(otherId.diverged[0]?.difference?.pointer, '/id');

  const module = await auditChanged('module', (decision) =>
    named({ ...decision, moduleDigest: `sha256:${'0'.repeat(64)}` }),
  );
  assert.is(module.diverged[0]?.difference?.pointer, '/module_digest');

  const clear = await auditChanged('clear', (decision) => {
    const text = Buffer.from(decision.committedInput).toString('utf8');
    const open = text.replace(/"arguments":\{[^}]*\}/, '"arguments":{"to":"x"}');
    return named({ ...decision, committedInput: Buffer.from(open) });
  });
  assert.match(clear.diverged[0]?.why ?? '', 'stands in clear');
});

test('what is not kept makes a decision undetermined, never reproduced', async () => {
  const gone = await auditChanged('gone', (decision) =>
    named({ ...decision, dataRevision: `sha256:${'1'.repeat(64)}` }),
  );
  assert.equal(gone.rowVerdicts, { reproduced: 0, diverged: 0, undetermined: 1 });
  const nothing = await auditChanged('nothing', (decision) =>
    named({
      ...decision,
      ...{ policyRevision: '', dataRevision: '', moduleDigest: '' },
      outputBytes: Buffer.from('{"allow":false,"reason":{"code":"bundle_missing"}}'),
    }),
  );
  assert.is(nothing.rowVerdicts.reproduced, 1, 'a deny without bundles is what it must be');
  const allowed = await auditChanged('allowed', (decision) =>
    named({
      ...decision,
      ...{ policyRevision: '', dataRevision: '', moduleDigest: '' },
      outputBytes: Buffer.from('{"allow":true}'),
    }),
  );
  assert.is(allowed.rowVerdicts.diverged, 1, 'an allow without bundles cannot be');
});

test('bundles that another key signed, or that were changed, do not count', async () => {
  const at = await place('untrusted');
  await at.log.append(draftOf(decideTool({ to: 'a' })));
  await at.close();
  const options = { ...at, record, openings: await at.openings.read() };
  assert.is((await audit(options)).rowVerdicts.reproduced, 1);
  const strangers = await audit({ ...options, bundleKeys: [] });
  assert.is(strangers.rowVerdicts.undetermined, 1);
  assert.match([...strangers.undetermined.keys()][0] ?? '', 'bundle_signature_invalid');
});

test('an opening that opens nothing here changes nothing', async () => {
  const at = await place('wrong opening');
  const decision = decider.decide({
    ...{ boundary: 'tool', module: 'guard', salt: randomBytes(32) },
    input: { direction: 'input', scanners: ['Secrets'], text: 'hello' },
  });
  await at.log.append(draftOf(decision));
  await at.close();
  const [opening] = (await at.openings.read()).values();
  const forged = { ...opening!, value: Buffer.from('"other"') };
  const imported = importOpenings(exportOpenings(new Map([['sha256:x', forged]])));
  assert.equal((await run(at, imported)).rowVerdicts, {
    reproduced: 0,
    diverged: 0,
    undetermined: 1,
  });
  // Filed under the right commitment by somebody who skips the check of the file format.
  const right = [...(await at.openings.read()).keys()][0]!;
  assert.is((await run(at, new Map([[right, forged]]))).rowVerdicts.undetermined, 1);
});

test('of a damaged store of openings what is whole is read, and the rest is told', async () => {
  const at = await place('damaged');
  for (const to of ['a', 'b']) await at.log.append(draftOf(decideTool({ to })));
  await at.close();
  const [day] = await at.openings.days();
  const path = join(at.root, 'openings', `${day}.openings`);
  const whole = readFileSync(path);
  const all = (await at.openings.read()).size;
  writeFileSync(path, whole.subarray(0, -1));
  assert.is((await at.openings.read()).size, all - 1);
  writeFileSync(path, whole);
  writeFileSync(join(at.root, 'keys/openings', `${day}.key`), randomBytes(32));
  const told: unknown[] = [];
  assert.is((await at.openings.read((...args) => told.push(args))).size, 0);
  assert.equal(told, [[day, all]]);
});

test('a log that is gone is tampered with; a folder that never had one is an error', async () => {
  const at = await place('removed');
  await at.log.append(draftOf(decideTool({ to: 'a' })));
  await at.close();
  rmSync(join(at.evidence, 'segment'));
  assert.is((await run(at)).tampered?.code, 'evidence_truncated');
  rmSync(at.evidence, { recursive: true });
  assert.is((await run(at)).tampered?.code, 'evidence_truncated');
  rmSync(at.checkpoints, { recursive: true });
  assert.is(await run(at).catch((error) => error.code), 'object_missing');
});

test.run();
