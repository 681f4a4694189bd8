// An audit that is interrupted and goes on says what one in one go says; a state that does not fit is refused.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../errors.ts';
import { importOpenings, type Openings } from '../openings.ts';
import { draft, record } from '../testing/drafts.ts';
import { decider, decideTool, draftOf, type Place, place } from '../testing/place.ts';
import { type AuditOptions, type AuditReport, audit } from './audit.ts';

const key = randomBytes(32);
const none: Openings = new Map();

/** A log of many groups: calls that are allowed, one that lies, scans that need openings. */
async function written(name: string): Promise<Place> {
  const at = await place(name);
  for (let call = 0; call < 12; call++) {
    const decision = decideTool({ to: `${call}@example.org` });
    const intent = draftOf(decision);
    await at.log.append({ ...intent, action: `call-${call}` });
    if (call % 3 === 0) continue;
    await at.log.append({
      ...{ ...intent, action: `call-${call}`, kind: 'outcome', decisions: [], reason: undefined },
      ...{ outcome: 'ok', time: `2026-01-31T12:${10 + call}:00.000Z` },
    });
  }
  await at.log.append(draft({ kind: 'outcome', action: 'never begun', outcome: 'ok' }));
  const scan = { direction: 'input', scanners: ['PII'], text: 'card 4111 1111 1111 1111' };
  const guard = decider.decide({
    ...{ boundary: 'tool', module: 'guard', salt: randomBytes(32), input: scan },
  });
  for (let row = 0; row < 3; row++) await at.log.append(draftOf(guard));
  await at.close();
  return at;
}

function optionsOf({ evidence, checkpoints, bundleKeys }: Place): AuditOptions {
  return { evidence, checkpoints, bundleKeys, record, openings: none };
}

const plain = (report: AuditReport) =>
  JSON.parse(JSON.stringify({ ...report, undetermined: [...report.undetermined] }));

/** Audits until this many groups are passed, and returns the state that is left. */
async function interruptedAt(groups: number, options: AuditOptions): Promise<Uint8Array> {
  const stop = new AbortController();
  let saved: Uint8Array | undefined;
  let passed = 0;
  const save = async (state: Uint8Array) => {
    saved = state;
  };
  const code = await audit({
    ...options,
    ...{ signal: stop.signal, onProgress: () => ++passed === groups && stop.abort() },
    resume: { key, from: options.resume?.from, save },
  } as AuditOptions).then(() => 'ended', codeOf);
  assert.is(code, 'audit_interrupted');
  return saved!;
}

const resumed = (from: Uint8Array, options: AuditOptions, by = key) =>
  audit({ ...options, resume: { key: by, from, save: async () => {} } });

test('an audit that was interrupted behind any group ends with the report of one in one go', async () => {
  const at = await written('interrupted');
  const whole = await audit(optionsOf(at));
  assert.is(whole.rows, 24);
  assert.equal(whole.rowVerdicts, { reproduced: 20, diverged: 1, undetermined: 3 });
  assert.is(whole.openIntents, 4);
  for (let groups = 1; groups <= whole.checkpoints; groups++) {
    const state = await interruptedAt(groups, optionsOf(at));
    let rows = 0;
    const report = await audit({
      ...optionsOf(at),
      onRow: async () => void rows++,
      resume: { key, from: state, save: async () => {} },
    });
    assert.is(rows, 24 - groups, 'only the rows behind it are audited again');
    assert.equal(plain(report), plain(whole));
  }
  let state: Uint8Array | undefined;
  for (let step = 0; step < 10; step++) {
    const resume = { key, from: state, save: async () => {} };
    state = await interruptedAt(2, { ...optionsOf(at), resume });
  }
  assert.equal(plain(await resumed(state!, optionsOf(at))), plain(whole));
});

test('a state of other inputs, of another auditor, or changed in any byte is refused', async () => {
  const at = await written('inputs');
  const options = optionsOf(at);
  const state = await interruptedAt(5, options);
  const refusal = (from: Uint8Array, given: AuditOptions, by = key) =>
    resumed(from, given, by).then(() => 'taken', codeOf);
  assert.is(await refusal(state, options), 'taken');

  const refused = 'audit_state_invalid';
  assert.is(await refusal(state, options, randomBytes(32)), refused);
  const openings = await at.openings.read();
  assert.is(await refusal(state, { ...options, openings }), refused);
  assert.is(await refusal(state, { ...options, openings: importOpenings('') }), 'taken');
  assert.is(await refusal(state, { ...options, bundleKeys: [] }), refused);
  const kept = [readFileSync(join(at.checkpoints, `${at.log.status().log}.checkpoint`))];
  assert.is(await refusal(state, { ...options, keptCheckpoints: kept }), refused);
  const other = await written('another');
  assert.is(await refusal(state, optionsOf(other)), refused);
  assert.is(await refusal(new Uint8Array(0), options), refused);
  for (let index = 0; index < state.length; index += 7) {
    const changed = Uint8Array.from(state);
    changed[index]! ^= 1;
    assert.is(await refusal(changed, options), refused, `byte ${index}`);
  }
  assert.is(await refusal(state.subarray(0, -1), options), refused);
  assert.is(await refusal(Buffer.concat([state, Buffer.from('\n')]), options), refused);
});

test('a log that is another one at the place, or is cut off before it, is refused', async () => {
  const at = await written('exchanged');
  const state = await interruptedAt(9, optionsOf(at));
  const path = join(at.evidence, 'segment');
  const segment = readFileSync(path);
  const end = JSON.parse(Buffer.from(state).toString().slice(65)).position;
  for (const changed of [
    segment.subarray(0, end.checkpointStart),
    segment.subarray(0, end.end - 1),
  ]) {
    writeFileSync(path, changed);
    const code = await resumed(state, optionsOf(at)).then(() => 'taken', codeOf);
    assert.is(code, 'audit_state_invalid');
  }
  for (let byte = end.checkpointStart; byte < end.end; byte++) {
    const changed = Buffer.from(segment);
    changed[byte]! ^= 1;
    writeFileSync(path, changed);
    const code = await resumed(state, optionsOf(at)).then(() => 'taken', codeOf);
    assert.is(code, 'audit_state_invalid');
  }
  const later = Buffer.from(segment);
  later[end.end + 100]! ^= 1;
  writeFileSync(path, later);
  assert.ok((await resumed(state, optionsOf(at))).tampered, 'what is behind it is audited');
});

test('rows behind the newest checkpoint that was kept are undetermined as to what followed', async () => {
  const at = await place('kept');
  const { log } = at.log.status();
  const kept = () => readFileSync(join(at.checkpoints, `${log}.checkpoint`));
  const options = () => ({ ...optionsOf(at), keptCheckpoints: [kept()] });
  for (const to of ['a', 'b']) await at.log.append(draftOf(decideTool({ to })));
  const early = kept();
  await at.log.append(draftOf(decideTool({ to: 'c' })));
  await at.close();

  const plainly = await audit(optionsOf(at));
  assert.is(plainly.rowsAfterKept, 0);
  assert.equal(plainly.complete, { rows: 3, time: '2026-01-31T12:00:00.000Z', by: 'beside' });
  assert.match(plainly.gaps.join(' '), /No checkpoint was given/);

  const exact = await audit(options());
  assert.is(exact.rowsAfterKept, 0);
  assert.is(exact.complete?.by, 'kept');
  assert.not(exact.gaps.some((gap) => gap.includes('kept')));

  const late = await audit({ ...optionsOf(at), keptCheckpoints: [early] });
  assert.is(late.rowsAfterKept, 1);
  assert.equal(late.complete, { rows: 2, time: '2026-01-31T12:00:00.000Z', by: 'kept' });
  assert.match(late.gaps.join(' '), /first 2, up to 2026-01-31T12:00:00.000Z.* 1 rows after it/);
});

test.run();
