// What another policy would have decided of a real log, through the command.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPolicyBundle } from '../../../runtime/bundle/build.ts';
import { compileSources } from '../../../runtime/bundle/compile.ts';
import { loadPair } from '../../../runtime/bundle/load.ts';
import { samplePolicies } from '../../../runtime/bundle/testing.ts';
import { writeBundle } from '../../../runtime/bundle/write.ts';
import { executorOf, loadModules } from '../../../runtime/decide/local.ts';
import { draft, record } from '../../../runtime/evidence/testing/drafts.ts';
import { decider, decideTool, draftOf, place } from '../../../runtime/evidence/testing/place.ts';
import { policySources } from '../policy/sources.ts';
import { readNewPolicy } from './new-policy.ts';
import { runAuditCommand } from './testing.ts';

const at = await place('history');
const pair = await loadPair(join(at.root, '..', 'bundles'), at.bundleKeys);
const decisions = ['a', 'b', 'c'].map((to) => decideTool({ to }));
assert.ok(decisions.every(({ allow }) => allow));
for (const decision of decisions) await at.log.append(draftOf(decision));
const scope = {
  scope: 'spiffe://platform.local/agent/tenant-1/*',
  spiffe_id: 'spiffe://platform.local/agent/tenant-1/agent-1/main',
};
await at.log.append(
  draftOf(
    decider.decide({ boundary: 'secret', module: 'scope', salt: new Uint8Array(32), input: scope }),
  ),
);
await at.log.append(draft({ reason: { code: 'request_malformed', message: '' } }));
await at.close();

/** A bundle of the platform's policies with one more rule of an operator's. */
async function bundleWith(name: string, condition: string): Promise<string> {
  const folder = join(at.root, `${name}-policies`);
  mkdirSync(folder);
  const rego = `# METADATA
# title: Mail
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: No such mail
deny contains {"code": "mail_stopped", "message": "not this one"} if {
	${condition}
}
`;
  writeFileSync(join(folder, 'mail.rego'), rego);
  const { files } = buildPolicyBundle(await compileSources(await policySources([folder])));
  const bundle = join(at.root, name);
  await writeBundle(files, bundle);
  return bundle;
}

const same = join(at.root, 'same');
await writeBundle(buildPolicyBundle(await samplePolicies()).files, same);
const strict = await bundleWith('strict', 'input.resource.service == "mail"');
const curious = await bundleWith('curious', 'input.arguments.to == "b"');
const broken = await bundleWith('broken', 'input.context.time == "never"');
const replay = (bundle: string, ...more: string[]) =>
  runAuditCommand(['--replay', '--bundle', bundle, '--state', at.root, ...more]);

const validate = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(new URL('../../../docs/what-if.schema.json', import.meta.url), 'utf8')),
);

/** A document as the schema has it, or what is wrong with it. */
const wrongWith = (document: object): string | undefined =>
  validate(document) ? undefined : JSON.stringify(validate.errors);

test('the policy of the time changes nothing', async () => {
  const { code, out } = await replay(same, '--json');
  assert.is(code, 0, out);
  const { decisions, changed, changes, audit } = JSON.parse(out);
  assert.equal(decisions, { all: 4, asked: 0, same: 4, unreadable: 0, undetermined: {} });
  assert.is(changed, 0);
  assert.is(wrongWith(JSON.parse(out)), undefined);
  assert.equal(changes, []);
  assert.is(audit.verdict, 'reproduced');
  const other = await replay(broken);
  assert.is(other.code, 0, other.out);
  assert.match(other.out, 'unchanged no decision of 4 would change');
});

test('a rule more: what it would have stopped, by agent and rule, with the ids of both decisions', async () => {
  const { code, out } = await replay(strict, '--json');
  assert.is(code, 6, out);
  const found = JSON.parse(out);
  assert.is(found.changed, 3);
  assert.is(wrongWith(found), undefined);
  assert.match(wrongWith({ ...found, more: 1 }) ?? '', 'more');
  assert.is(found.changes.length, 1);
  const [change] = found.changes;
  assert.is(change.kind, 'allow_to_deny');
  assert.not(change.widening);
  assert.is(change.from, 'platform.tool.granted');
  assert.is(change.count, 3);
  const [{ agent, count, first, last }] = change.agents;
  assert.is(agent, 'spiffe://platform.local/agent/tenant-1/agent-1/main');
  assert.is(count, 3);
  assert.equal([first.row, last.row], [0, 2]);
  assert.is(first.before.decision_id, decisions[0]!.id);
  assert.is(last.before.decision_id, decisions[2]!.id);

  const policy = await readNewPolicy(strict);
  assert.is(found.new.policy, policy.revision);
  assert.equal(found.old.policies, { [decisions[0]!.policyRevision]: 4 });
  assert.is(first.after.allow, false);
  const executor = executorOf(loadModules(), { policy, data: pair.data });
  const input = Buffer.from(decisions[0]!.committedInput);
  const output = executor.execute({ boundary: 'tool', module: 'authorization', input });
  const names = ['platform/decision/v1', 'tool', 'authorization', policy.revision];
  const id = record.decisionId([...names, pair.data.revision, input, output]);
  assert.is(first.after.decision_id, Buffer.from(id).toString('hex'));
});

test('the same history and policy give the same document, which holds no clock and no path', async () => {
  const [json, page] = [join(at.root, 'change.json'), join(at.root, 'change.html')];
  const one = await replay(strict, '--json', '--report', json, '--report', page);
  const first = readFileSync(page);
  const other = await replay(strict, '--json', '--report', page);
  assert.is(one.out, other.out);
  assert.equal(first, readFileSync(page));
  assert.equal(JSON.parse(readFileSync(json, 'utf8')), JSON.parse(one.out));
  assert.not.match(one.out, at.root);
  assert.match(first.toString(), 'Decisions would change');
  assert.not.match(first.toString(), '<script');
});

test('a policy that reads what is committed needs the openings', async () => {
  const blind = await replay(curious);
  assert.is(blind.code, 3, blind.out);
  assert.match(blind.out, '3 undetermined: the field arguments is committed and no opening');
  const seeing = await replay(curious, '--stored-openings', '--json');
  assert.is(seeing.code, 6, seeing.out);
  const { changes } = JSON.parse(seeing.out);
  assert.is(changes[0].count, 1);
  assert.is(changes[0].agents[0].first.row, 1);
  assert.not.match(seeing.out, '"to":"b"', 'what was opened is not shown');
});

test('a history that is a lie is not one that nothing would change', async () => {
  const lied = await place('lied');
  const { output, outputBytes: _, ...told } = decisions[0]!;
  const outputBytes = record.canonicalize(
    Buffer.from(JSON.stringify({ ...(output as object), allow: false })),
  );
  await lied.log.append({ ...draftOf({ ...told, output, outputBytes }), kind: 'denial' });
  await lied.close();
  const { code, out } = await replay(same, '--state', lied.root);
  assert.is(code, 4, out);
  assert.match(out, 'the history itself diverged');
});

test('other data, an export instead of a state folder, and a log that does not hold', async () => {
  const data = join(at.root, 'data.json');
  writeFileSync(data, '{"agents":{}}');
  const without = await replay(same, '--data', data, '--json');
  assert.is(without.code, 6, without.out);
  assert.is(JSON.parse(without.out).changed, 3);

  const file = join(at.root, 'history.tar');
  await runAuditCommand(['export', '--state', at.root, '--out', file]);
  const args = ['--replay', '--bundle', strict, '--from-export', file, '--json'];
  const fromExport = await runAuditCommand(args);
  assert.is(fromExport.code, 6);
  assert.is(fromExport.out, (await replay(strict, '--json')).out, 'the same as from the folder');

  const bytes = readFileSync(file);
  bytes[bytes.indexOf('mail_send')]! ^= 1;
  rmSync(file);
  writeFileSync(file, bytes);
  assert.is((await runAuditCommand(args)).code, 5);
  assert.is((await replay(join(at.root, 'nothing'))).code, 'object_missing');
});

test.run();
