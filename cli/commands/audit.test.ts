import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCheckpoint } from '../../runtime/evidence/checkpoint.ts';
import { parseNoteKey } from '../../runtime/evidence/note.ts';
import { verifyInclusion } from '../../runtime/evidence/proof.ts';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import { record } from '../../runtime/evidence/testing/drafts.ts';
import { decider, decideTool, draftOf, place } from '../../runtime/evidence/testing/place.ts';
import { UsageError } from '../options.ts';
import { audit } from './audit.ts';

const entry = fileURLToPath(new URL('../platform.ts', import.meta.url));

/** Runs `platform audit …` as a user does. */
function platformAudit(args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', PLATFORM_STATE: '/nonexistent' };
    execFile(process.execPath, [entry, 'audit', ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** A state folder with these rows. */
async function stateOf(name: string, drafts: EvidenceDraft[]) {
  const at = await place(name);
  for (const each of drafts) await at.log.append(each);
  await at.close();
  return at;
}

/** A call that was allowed, and a text that the guard stopped: that depends on a committed field. */
const honest = [
  draftOf(decideTool({ to: 'a@example.org' })),
  draftOf(
    decider.decide({
      ...{ boundary: 'tool', module: 'guard', salt: randomBytes(32) },
      input: { direction: 'input', scanners: ['PII'], text: 'card 4111 1111 1111 1111' },
    }),
  ),
];

test('--verify says by its exit code what it found', async () => {
  const { root } = await stateOf('honest', honest);
  const verify = ['--verify', '--state', root];
  const blind = await platformAudit(verify);
  assert.is(blind.code, 3, blind.err);
  assert.match(blind.out, 'undetermined');
  const whole = await platformAudit([...verify, '--stored-openings']);
  assert.is(whole.code, 0, whole.out + whole.err);
  assert.match(whole.out, 'reproduced all 2 rows');
  assert.is((await platformAudit([...verify, '--stored-openings', '--json'])).code, 0);

  const file = join(root, 'openings.jsonl');
  const taken = await platformAudit(['openings', '--out', file, '--state', root]);
  assert.is(taken.code, 0, taken.err);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is((await platformAudit(['openings', '--out', file, '--state', root])).code, 1, 'exists');
  const json = await platformAudit([...verify, '--openings', file, '--json']);
  assert.is(json.code, 0);
  const report = JSON.parse(json.out);
  assert.is(report.rows, 2);
  assert.equal(report.row_verdicts, { reproduced: 2, diverged: 0, undetermined: 0 });
  assert.is(report.tampered, null);

  const erased = await platformAudit(['openings', '--erase', '--state', root]);
  assert.match(erased.out, 'erased the openings of');
  assert.is((await platformAudit([...verify, '--stored-openings'])).code, 3);
});

test('a row that its module does not give is explained, and exits 4', async () => {
  const decision = decideTool({ to: 'a@example.org' });
  const flipped = { ...decision.output, allow: !decision.allow };
  const outputBytes = record.canonicalize(Buffer.from(JSON.stringify(flipped)));
  const { boundary, module, policyRevision, dataRevision, committedInput } = decision;
  const id = Buffer.from(
    record.decisionId([
      ...['platform/decision/v1', boundary, module, policyRevision, dataRevision],
      ...[committedInput, outputBytes],
    ]),
  ).toString('hex');
  const lie = { ...draftOf(decision), decisions: [{ ...decision, outputBytes, id }] };
  const { root } = await stateOf('lie', [honest[0]!, lie]);
  const { code, out } = await platformAudit(['--verify', '--state', root, '--stored-openings']);
  assert.is(code, 4);
  assert.match(out, /diverged row 1 .*: authorization at tool/);
  assert.match(out, /field\s+\/allow/);
  assert.match(out, new RegExp(`expected\\s+${decision.allow}`));
  assert.match(out, new RegExp(`found\\s+${!decision.allow}`));
});

test('a changed log exits 5, and so does one that lacks what a kept checkpoint covers', async () => {
  const { root, evidence, log } = await stateOf('changed', honest);
  const verify = ['--verify', '--state', root, '--stored-openings'];
  const segment = join(evidence, 'segment');
  const bytes = readFileSync(segment);
  const changed = Buffer.from(bytes);
  changed[100]! ^= 1;
  writeFileSync(segment, changed);
  const { code, out } = await platformAudit(verify);
  assert.is(code, 5);
  assert.match(out, /tampered .*evidence_(truncated|corrupt)/);

  writeFileSync(segment, bytes);
  const kept = join(root, 'kept.checkpoint');
  writeFileSync(kept, log.status().checkpoint);
  assert.is((await platformAudit([...verify, '--checkpoint', kept])).code, 0);
  const other = await stateOf('other', [honest[0]!]);
  writeFileSync(kept, other.log.status().checkpoint);
  assert.is((await platformAudit([...verify, '--checkpoint', kept])).code, 5);
  const [otherKey] = readdirSync(other.checkpoints).filter((name) => name.endsWith('.key'));
  const key = join(other.checkpoints, otherKey!);
  assert.is((await platformAudit([...verify, '--key', key])).code, 5);
});

test('a running platform can be audited', async () => {
  const at = await place('running');
  await at.log.append(honest[0]!);
  const { code } = await platformAudit(['--verify', '--state', at.root, '--stored-openings']);
  assert.is(code, 0);
  await at.log.append(honest[1]!);
  await at.close();
});

test('show lists rows for people, and nothing in them steers the terminal', async () => {
  const hostile = { ...honest[0]!, subject: { tool: '\u001b[2J\u202eevil' } };
  const { root } = await stateOf('show', [hostile, honest[1]!]);
  const { code, out } = await platformAudit(['show', '--state', root]);
  assert.is(code, 0);
  assert.match(out, 'tenant-1/agent-1/main');
  assert.match(out, 'allowed');
  assert.match(out, 'denied');
  assert.match(out, '\ufffd[2J\ufffdevil');
  assert.not.match(out, '\u001b');
  assert.not.match(out, '\u202e');
  const last = await platformAudit(['show', '--limit', '1', '--json', '--state', root]);
  assert.is(JSON.parse(last.out).sequence, 1);
});

test('prove gives what leads from a row to the checkpoint', async () => {
  const drafts = Array.from({ length: 5 }, () => ({
    ...honest[0]!,
    action: randomBytes(4).toString('hex'),
  }));
  const { root, checkpoints, log } = await stateOf('prove', drafts);
  const { out } = await platformAudit(['prove', '3', '--json', '--state', root]);
  const proof = JSON.parse(out);
  const key = parseNoteKey(
    readFileSync(join(checkpoints, `${log.status().log}.key`), 'utf8').trim(),
  );
  const { size, root: signed } = openCheckpoint(Buffer.from(proof.checkpoint), key);
  const leaf = record.leafHash(Buffer.from(proof.row));
  const path = proof.path.map((hash: string) => new Uint8Array(Buffer.from(hash, 'base64')));
  assert.ok(verifyInclusion(record, leaf, 3, size, path, signed));
  assert.is((await platformAudit(['prove', '5', '--state', root])).code, 1);
});

test('a wrong command line is refused before anything is done, and exits 2', async () => {
  const wrong = [
    [],
    ['verify'],
    ['show', '--openings', 'x'],
    ['show', '--limit', '-1'],
    ['show', '--limit', 'x'],
    ['prove'],
    ['prove', '1', '2'],
    ['openings'],
    ['openings', '--out', 'x', '--erase'],
    ['openings', '--erase', '--before', 'yesterday'],
    ['--verify', '--openings', 'x', '--stored-openings'],
    ['--verify', 'show'],
    ['--verify', '--unknown'],
  ];
  for (const args of wrong) {
    const error = await audit.run(args).catch((thrown) => thrown);
    assert.instance(error, UsageError, args.join(' '));
  }
  assert.is((await platformAudit([])).code, 2);
});

test('no evidence, or a file that is not there, is an error of its own', async () => {
  const none = await platformAudit(['--verify', '--state', '/nonexistent/state']);
  assert.is(none.code, 1);
  assert.match(none.err, 'object_missing');
  const { root } = await stateOf('missing', honest);
  const args = ['--verify', '--state', root, '--openings', '/nonexistent'];
  const missing = await platformAudit(args);
  assert.is(missing.code, 1);
  assert.match(missing.err, 'cannot be read');
});

test.run();
